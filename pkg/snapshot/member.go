package snapshot

import "encoding/json"

// Member is one member of a JSON object.
type Member struct {
	Key   string          // unescaped; halves of surrogate pairs and invalid UTF-8 are U+FFFD
	Value json.RawMessage // as written
}

// Members are the members of a JSON object as they stand there, repeated keys included. The values share raw's memory.
// A value of another kind is an error, and so is a text that is no JSON.
func Members(raw json.RawMessage) ([]Member, error) {
	var members []Member
	s := scanner{data: raw}
	err := s.whole(func() error {
		return s.object(func(key []byte) error {
			value, err := s.span()
			name, _ := text(key)
			members = append(members, Member{name, value})
			return err
		})
	})
	return members, err
}

// Elements are the elements of a JSON array. They share raw's memory. A value of another kind is an error, and so is a
// text that is no JSON.
func Elements(raw json.RawMessage) ([]json.RawMessage, error) {
	elements := []json.RawMessage{}
	s := scanner{data: raw}
	err := s.whole(func() error {
		return s.array(func() error {
			value, err := s.span()
			elements = append(elements, value)
			return err
		})
	})
	return elements, err
}

// Text is the text of a JSON string; false for a value of any other kind.
func Text(raw json.RawMessage) (string, bool) {
	s := scanner{data: raw}
	var token []byte
	err := s.whole(func() (err error) {
		token, err = s.scalar()
		return err
	})
	if err != nil {
		return "", false
	}
	return text(token)
}

// span reads a value of any kind and is its text without white space around it.
func (s *scanner) span() (json.RawMessage, error) {
	s.peek()
	start := s.pos
	err := s.skip()
	return s.data[start:s.pos:s.pos], err
}

// lookUp is the value of the last member with the key, as most readers of JSON take it; nil when there is none.
func lookUp(members []Member, key string) json.RawMessage {
	for i := len(members) - 1; i >= 0; i-- {
		if members[i].Key == key {
			return members[i].Value
		}
	}
	return nil
}
