"""Agents and their source scope."""
