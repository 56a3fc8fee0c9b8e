"""Accounts that are connected by signing in to them: OAuth 2.0 (RFC 6749, 7636, 7009, 9700).

Begin reading at signing_in.py: somebody is sent to a provider, and comes back with what opens their
account. tokens.py keeps it open.
"""
