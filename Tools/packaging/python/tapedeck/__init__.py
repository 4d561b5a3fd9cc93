"""Tapedeck from Python: run the program, record a client's traffic, serve, and read what came of it."""

from tapedeck.program import TapedeckError, Running, program, run
from tapedeck.recording import Finding, Recording, Server

__all__ = ["Finding", "Recording", "Running", "Server", "TapedeckError", "program", "run"]
