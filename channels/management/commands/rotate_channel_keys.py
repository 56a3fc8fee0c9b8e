"""bin/manage rotate_channel_keys: the name that rotate_keys had when only channels had keys."""

from accounts.management.commands.rotate_keys import Command as Command
