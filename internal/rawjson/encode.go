package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Encode is a value as JSON on one line, without the escapes that HTML needs. Raw values in it stand there as written,
// but for white space. Only a value that has no JSON, such as a function, gives an error.
func Encode(value any) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte{'\n'}), nil
}

// Decode reads one JSON value as encoding/json does, with numbers as json.Number, exactly as written. Of members with the
// same key the last one counts. Anything behind the value is an error.
func Decode(raw json.RawMessage) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the text goes on behind the value")
	}
	return value, nil
}

// Build is an object of these members in this order; the values stand in it as they are.
func Build(members ...Member) json.RawMessage {
	out := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, Quote(m.Key)...), ':'), m.Value...)
	}
	return append(out, '}')
}

// List is an array of these elements, which stand in it as they are.
func List(elements []json.RawMessage) json.RawMessage {
	out := []byte{'['}
	for i, element := range elements {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, element...)
	}
	return append(out, ']')
}
