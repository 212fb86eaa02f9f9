package report

// Fail adds a failure: the first is Error, those after it MoreErrors.
func (s *Server) Fail(f Failure) {
	if s.Error == nil {
		s.Error = &f
	} else {
		s.MoreErrors = append(s.MoreErrors, f)
	}
}
