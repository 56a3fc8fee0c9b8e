"""Where documents come from: one module (or package) a kind, behind `interface.Connector`."""
