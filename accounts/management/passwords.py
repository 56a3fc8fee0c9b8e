"""The password that a command takes: never as an argument, which every user of the machine can read
in the list of processes while the command runs."""

import argparse
import sys
from getpass import getpass
from typing import Any, NoReturn

from django.core.management.base import CommandError, CommandParser

HELP = "The password is asked for, or read as the first line of standard input."


class GoneOption(argparse.Action):
    """An option that old scripts still use; explains what replaces it."""

    def __call__(self, parser: argparse.ArgumentParser, *args: Any, **more: Any) -> NoReturn:
        parser.error(
            f"{self.option_strings[0]} no longer exists, because every user of the machine can read"
            " arguments. Type the password when asked, or write it to standard input. Choose"
            " another one if this is in use."
        )


def forget_password_option(parser: CommandParser, name: str) -> None:
    parser.add_argument(name, action=GoneOption, dest=argparse.SUPPRESS, help=argparse.SUPPRESS)


def read_password() -> str:
    """Reads a password, and removes only the end of its line. Raises CommandError."""
    if sys.stdin.isatty():
        password = getpass("Password (at least 10 characters): ")
        if getpass("The password again: ") != password:
            raise CommandError("The two passwords do not match.")
    else:
        password = sys.stdin.readline().rstrip("\r\n")
    if not password:
        raise CommandError("Type the password when asked, or write it to standard input.")
    return password
