"""Microsoft's own client of Graph reads our stand-in for it: begin reading at measure.py."""
