"""Lists of an API, against a stand-in of a help centre's."""
