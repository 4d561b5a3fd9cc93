"""Certificates made with openssl while the tests run: an authority of a server, and its leaf."""

import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ServerCertificates:
    """Files of a private authority and of one certificate for 127.0.0.1 and localhost."""

    authority: Path
    certificate: Path
    key: Path

    def context(self) -> ssl.SSLContext:
        """A context for a server of ours."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        # Shows whatever it is given, short keys as well.
        context.set_ciphers("DEFAULT:@SECLEVEL=0")
        context.load_cert_chain(self.certificate, self.key)
        return context


def openssl(folder: Path, *arguments: str) -> None:
    """Runs openssl in a folder."""
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


EC_KEY = ("ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")


def make_certificates(folder: Path, name: str = "origin", days: int = 2,
                      extensions: str = "subjectAltName=IP:127.0.0.1,DNS:localhost",
                      key: tuple[str, ...] = EC_KEY, authority_key: tuple[str, ...] = EC_KEY,
                      digest: str = "sha256") -> ServerCertificates:
    """Makes an authority and a leaf in `folder`."""
    openssl(folder, "req", "-x509", "-newkey", *authority_key, "-nodes", "-keyout", f"{name}-ca.key",
            "-out", f"{name}-ca.pem", "-days", "2", "-subj", f"/CN={name} test authority")
    openssl(folder, "req", "-newkey", *key, "-nodes", "-keyout", f"{name}.key", "-out",
            f"{name}.csr", "-subj", "/CN=localhost")
    (folder / f"{name}.ext").write_text(f"{extensions}\n")
    openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", f"{name}-ca.pem", "-CAkey",
            f"{name}-ca.key", "-CAcreateserial", f"-{digest}", "-days", str(days), "-extfile", f"{name}.ext",
            "-out", f"{name}.pem")
    return ServerCertificates(folder / f"{name}-ca.pem", folder / f"{name}.pem",
                              folder / f"{name}.key")
