"""Tests of the connector that reads OneDrive and SharePoint."""
