"""An answer as callers get it over HTTP, whichever app's endpoint they asked."""
