"""The one kit for drawing: shapes make a scene, and a scene becomes SVG or PNG."""
