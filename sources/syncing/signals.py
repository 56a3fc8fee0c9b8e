"""The signals of syncing, for apps that it does not know. In a module of its own, so that listeners
load nothing else."""

from django.dispatch import Signal

# Sent with `source`, in the transaction that ends its run with an error.
run_failed = Signal()
