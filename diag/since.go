package diag

// Since returns the list without the diagnostics that an earlier version of the source had as
// well, among those with subjects; all others are kept. Two of the same code are the same if they
// share a subject. Of several with one subject, as many as there were are removed, first those
// whose messages are the same.
func (l List) Since(earlier List) List {
	type about struct {
		code             Code
		subject, message string
	}
	left := map[about]int{}
	for _, d := range earlier {
		for _, s := range d.Subjects {
			left[about{d.Code, s, d.Message}]++
			left[about{d.Code, s, ""}]++
		}
	}
	known := make([]bool, len(l))
	for _, exact := range []bool{true, false} {
		for i, d := range l {
			if known[i] {
				continue
			}
			message := ""
			if exact {
				message = d.Message
			}
			for _, s := range d.Subjects {
				if left[about{d.Code, s, message}] > 0 {
					known[i] = true
				}
			}
			for _, s := range d.Subjects {
				if known[i] {
					left[about{d.Code, s, message}]--
					if exact {
						left[about{d.Code, s, ""}]--
					}
				}
			}
		}
	}
	var out List
	for i, d := range l {
		if !known[i] {
			out = append(out, d)
		}
	}
	return out
}
