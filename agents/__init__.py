"""Agents and their source scope (issue 5). Until then every question goes to the tenant's default configuration."""
