"""What all tests share: one hypothesis profile, without deadlines, because machines are noisy."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "deciban", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("deciban")
