"""Tests of the connector that reads Google Drive."""
