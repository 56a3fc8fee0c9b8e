"""Agents and their source scope (issue 5). Until then all questions go to the tenant's default."""
