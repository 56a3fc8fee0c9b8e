"""Tests of what the kinds of sources share: calling an account, listing and fetching."""
