package config

// tomlTable is a table while it is put together: headers may come back to it at any time.
type tomlTable struct {
	line    int
	opened  bool // by a header of its own
	members []*tomlMember
	at      map[string]*tomlMember
}

// tomlMember is one of a value, a table, and the tables of an array.
type tomlMember struct {
	key    string
	line   int
	value  *value
	tables []*tomlTable
	array  bool
}

// walk goes down to the table at keys, and makes those that are missing.
func (t *tomlTable) walk(keys []string, lines []int) (*tomlTable, *syntaxError) {
	if len(keys) > maxDepth {
		return nil, &syntaxError{lines[0], "tables deeper than a configuration has", "is this a configuration file?"}
	}
	for i, key := range keys {
		m, ok := t.at[key]
		switch {
		case !ok:
			m = t.add(key, lines[i])
			m.tables = []*tomlTable{{line: lines[i]}}
		case m.value != nil:
			return nil, twice(lines[i], m.line)
		}
		t = m.tables[len(m.tables)-1]
	}
	return t, nil
}

func (t *tomlTable) add(key string, line int) *tomlMember {
	m := &tomlMember{key: key, line: line}
	if t.at == nil {
		t.at = map[string]*tomlMember{}
	}
	t.at[key], t.members = m, append(t.members, m)
	return m
}

func (t *tomlTable) set(key string, line int, v value) *syntaxError {
	if first, ok := t.at[key]; ok {
		return twice(line, first.line)
	}
	t.add(key, line).value = &v
	return nil
}

// push adds a table to the array at key.
func (t *tomlTable) push(key string, line int) (*tomlTable, *syntaxError) {
	m, ok := t.at[key]
	if !ok {
		m = t.add(key, line)
		m.array = true
	}
	if !m.array {
		return nil, twice(line, m.line)
	}
	m.tables = append(m.tables, &tomlTable{line: line, opened: true})
	return m.tables[len(m.tables)-1], nil
}

// value is the table when it is complete.
func (t *tomlTable) value() value {
	out := value{kind: object, line: t.line}
	for _, m := range t.members {
		v := value{kind: list, line: m.line}
		switch {
		case m.value != nil:
			v = *m.value
		case !m.array:
			v = m.tables[0].value()
		default:
			for _, table := range m.tables {
				v.items = append(v.items, table.value())
			}
		}
		out.fields = append(out.fields, field{m.key, m.line, v})
	}
	return out
}
