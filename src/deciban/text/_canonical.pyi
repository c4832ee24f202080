# The canonical form, for other compiled modules only (see _canonical.pxd).
