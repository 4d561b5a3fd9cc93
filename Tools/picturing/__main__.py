"""Tools/picture: the picture of README.md, drawn from a recording that is kept as text."""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from lost_edit import ROOT, record  # noqa: E402
from picture import PICTURE, RECORDING, draw  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--record", action="store_true")
if parser.parse_args().record:
    with tempfile.TemporaryDirectory() as scratch:
        record(RECORDING, Path(scratch))
PICTURE.write_text(draw())
print(f"picture: {PICTURE.relative_to(ROOT)} is written")
