internal import HTTPLayer
