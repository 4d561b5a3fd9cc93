#!/usr/bin/env python3
"""Makes mutants of any client, as a COMMAND of `tapedeck certify`: a proxy that breaks one duty.

`shim.py MUTANT COMMAND...` starts COMMAND, the client, with addresses of its own, and forwards all
of its traffic; what MUTANT names (`shim_simperium.py`, `shim_commcare.py`) is done to the messages
on their way. To the server, client and shim together are one client that forgets one duty. `none`
changes nothing.
"""

from __future__ import annotations

import asyncio
import os
import sys

from shim_commcare import COMMCARE
from shim_simperium import SIMPERIUM
from shim_wire import Mutation, Shim


def main() -> int:
    """Runs the client behind the mutant."""
    name, *command = sys.argv[1:]
    known = SIMPERIUM if "TAPEDECK_BUCKET" in os.environ else COMMCARE
    mutation = Mutation() if name == "none" else known[name]()
    return asyncio.run(Shim(mutation, os.environ["TAPEDECK_URL"]).run(command))


if __name__ == "__main__":
    sys.exit(main())
