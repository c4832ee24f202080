"""scikit-learn estimators and transformers."""
