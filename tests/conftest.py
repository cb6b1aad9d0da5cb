import os

# Before SciPy is imported: scikit-learn's check_estimator then runs its array-API check too, instead of skipping it.
os.environ["SCIPY_ARRAY_API"] = "1"

from hypothesis import HealthCheck, settings

# The fixture that chooses the instruction set holds for all examples of a test.
settings.register_profile("crisp", deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
settings.load_profile("crisp")
