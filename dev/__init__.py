"""What ./try and ./test do. Standard library only, since they run before anything is installed."""
