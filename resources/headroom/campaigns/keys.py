# SPDX-License-Identifier: Apache-2.0
"""The keys of a campaign: a certificate authority of its own, and one certificate that client, scheduler and workers
share.

The key lets its owner run programs on every machine of the campaign. openssl(1) makes them; the authority's key is
thrown away. Source: RFC 5280, RFC 8446.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from headroom.core.errors import EnvironmentLacks, UsageError, disk_error

DAYS = 825
CURVE = "prime256v1"
OPENSSL_TIMEOUT_S = 60


@dataclass(frozen=True)
class Keys:
    """A folder with keys."""

    folder: Path

    @property
    def authority(self) -> Path:
        return self.folder / "authority.pem"

    @property
    def certificate(self) -> Path:
        return self.folder / "certificate.pem"

    @property
    def key(self) -> Path:
        return self.folder / "key.pem"

    def require(self) -> Keys:
        """Raises UsageError if a file is missing, or if others may read the key."""
        for path in (self.authority, self.certificate, self.key):
            if not path.is_file():
                raise UsageError(
                    f"{path} does not exist: `./headroom campaign keys {self.folder}` makes keys; copy that folder to "
                    "each machine."
                )
        if self.key.stat().st_mode & 0o077:
            raise UsageError(f"Other users may read {self.key}: chmod 600 {self.key}.")
        return self


def make(folder: Path) -> Keys:
    """Makes keys in a new folder. Raises UsageError if it holds some, EnvironmentLacks without openssl."""
    keys = Keys(folder)
    if any(path.exists() for path in (keys.authority, keys.certificate, keys.key)):
        raise UsageError(f"{folder} has keys already: name another folder, or remove it.")
    if shutil.which("openssl") is None:
        raise EnvironmentLacks("Keys need the program openssl: apt-get install openssl.")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".") as name:
            _make(Path(name))
            for path in (keys.authority, keys.certificate, keys.key):  # without the last file there are no keys
                (Path(name) / path.name).replace(path)
    except OSError as error:
        raise disk_error(error, f"making keys in {folder}", resumable=False) from error
    return keys


def _make(folder: Path) -> None:
    """Makes all files in a folder that only its owner may enter."""
    new_keys = Keys(folder)
    authority_key, request, extensions = folder / "authority.key", folder / "request.pem", folder / "extensions"
    extensions.write_text(
        "basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\n"
        "extendedKeyUsage=serverAuth,clientAuth\n",
        encoding="ascii",
    )
    new = ("-newkey", "ec", "-pkeyopt", f"ec_paramgen_curve:{CURVE}", "-nodes", "-batch")
    _openssl(
        *("req", "-x509", *new, "-subj", "/CN=Headroom campaign authority", "-days", str(DAYS)),
        *("-addext", "keyUsage=critical,keyCertSign", "-keyout", authority_key, "-out", new_keys.authority),
    )
    _openssl("req", *new, "-subj", "/CN=Headroom campaign", "-keyout", new_keys.key, "-out", request)
    _openssl(
        *("x509", "-req", "-in", request, "-CA", new_keys.authority, "-CAkey", authority_key, "-CAcreateserial"),
        *("-days", str(DAYS), "-extfile", extensions, "-out", new_keys.certificate),
    )
    new_keys.key.chmod(0o600)


def _openssl(*arguments: str | Path) -> None:
    try:
        process = subprocess.run(
            ["openssl", *map(str, arguments)], capture_output=True, text=True, timeout=OPENSSL_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise EnvironmentLacks(f"`openssl {arguments[0]}` took more than {OPENSSL_TIMEOUT_S} s.") from error
    if process.returncode:
        lines = process.stderr.strip().splitlines() or ["it gave no reason"]
        raise EnvironmentLacks(f"`openssl {arguments[0]}` failed: {lines[-1]}.")
