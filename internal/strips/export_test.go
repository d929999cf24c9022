package strips

// Narrow makes each window read a line less than it needs, so that outputs are wrong if a test can see it.
func (s *Splitter) Narrow() { s.narrow = true }
