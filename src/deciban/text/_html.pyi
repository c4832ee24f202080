# HTML to text, for other compiled modules only (see _html.pxd).
