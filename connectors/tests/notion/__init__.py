"""Tests of the connector that reads Notion."""
