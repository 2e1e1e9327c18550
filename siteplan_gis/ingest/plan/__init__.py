"""What an applicant hands in, from the archive to layers with roles in the site frame."""
