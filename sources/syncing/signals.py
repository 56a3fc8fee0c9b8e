"""What syncing tells those that it does not know. By itself: who listens loads nothing else."""

from django.dispatch import Signal

# Sent with `source`, in the transaction that ends its run with an error.
run_failed = Signal()
