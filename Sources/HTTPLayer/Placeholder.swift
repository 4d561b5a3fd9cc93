internal import CCurl
internal import CurlShim
