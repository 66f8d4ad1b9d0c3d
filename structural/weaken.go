package structural

// DropValueValidations returns s without any value validation (KEP "Structural
// Schemas", Formal Definition, consequence 2): only the structure is left, so
// the result accepts every value that s accepts. CEL rules are extensions and are
// kept. s is not modified; nodes without value validations are shared with the
// result.
func DropValueValidations(s *Schema) *Schema {
	done := map[*Schema]*Schema{}
	var drop func(*Schema) *Schema
	drop = func(s *Schema) *Schema {
		if s == nil {
			return nil
		}
		if out, known := done[s]; known {
			return out
		}
		out := s.withChildren(drop)
		if out.ValueValidation != nil {
			bare := *out
			bare.ValueValidation = nil
			out = &bare
		}
		done[s] = out
		return out
	}
	return drop(s)
}
