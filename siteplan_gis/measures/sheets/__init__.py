"""What a sheet of a plan tells: scale, notes, scale bars, paper, the lettered grid."""
