"""Files to read, each made for one fault: `corpus`, with what it says known; `hostile`, to break
its reader."""
