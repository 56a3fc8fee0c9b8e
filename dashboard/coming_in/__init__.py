"""The pages up to a signed-in person: sign-up, sign-in, second factor, reset, invitation."""
