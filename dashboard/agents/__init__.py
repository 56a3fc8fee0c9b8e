"""Agents: who answers, how, and from which sources."""
