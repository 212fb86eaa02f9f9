package snapshot

// str reads a string and is its text with the quotes.
func (s *scanner) str() ([]byte, error) {
	start := s.pos
	for s.pos++; s.pos < len(s.data); s.pos++ {
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			return s.data[start:s.pos], nil
		case c == '\\':
			if err := s.escape(); err != nil {
				return nil, err
			}
		case c < ' ':
			return nil, s.unexpected("no bare control character inside a string")
		}
	}
	return nil, s.unexpected("a closing quote")
}

// escape reads an escape sequence and stops at its last byte.
func (s *scanner) escape() error {
	s.pos++
	if s.pos >= len(s.data) {
		return s.unexpected("an escape sequence")
	}
	switch s.data[s.pos] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return nil
	case 'u':
		for range 4 {
			if s.pos++; s.pos >= len(s.data) || hexDigit(s.data[s.pos]) < 0 {
				return s.unexpected(`four hexadecimal digits after \u`)
			}
		}
		return nil
	}
	return s.unexpected("an escape sequence")
}

// number reads a number and is its text, exactly as written.
func (s *scanner) number() ([]byte, error) {
	start := s.pos
	if s.data[s.pos] == '-' {
		s.pos++
	}
	zero := s.pos < len(s.data) && s.data[s.pos] == '0'
	digits := s.digits()
	if digits == 0 || zero && digits > 1 {
		return nil, s.unexpected("a number without leading zeros")
	}
	if s.at('.') {
		if s.pos++; s.digits() == 0 {
			return nil, s.unexpected("a digit after the decimal point")
		}
	}
	if s.at('e') || s.at('E') {
		s.pos++
		if s.at('+') || s.at('-') {
			s.pos++
		}
		if s.digits() == 0 {
			return nil, s.unexpected("a digit in the exponent")
		}
	}
	return s.data[start:s.pos], nil
}

func (s *scanner) at(c byte) bool { return s.pos < len(s.data) && s.data[s.pos] == c }

// digits skips decimal digits and is their number.
func (s *scanner) digits() int {
	start := s.pos
	for s.pos < len(s.data) && '0' <= s.data[s.pos] && s.data[s.pos] <= '9' {
		s.pos++
	}
	return s.pos - start
}

// hexDigit is the value of a hexadecimal digit, -1 for anything else.
func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
