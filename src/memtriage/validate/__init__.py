"""What tests the instrument itself: planted faults and answers, calibration, audit, interventions, leaks."""
