package conversions

// Direction is one of the two ways between a spoke and the hub.
type Direction struct {
	// spoke and hub are the names of the two sides in generated functions: in for the source, out for
	// the target.
	spoke, hub string
	// word is part of the names of functions: convertWidgetToV1, convertWidgetFromV1.
	word string
}

// ToHub is the direction from the spoke to the hub.
func ToHub() Direction { return Direction{spoke: "in", hub: "out", word: "To"} }

// FromHub is the direction from the hub to the spoke.
func FromHub() Direction { return Direction{spoke: "out", hub: "in", word: "From"} }

// Back returns the other direction.
func (way Direction) Back() Direction {
	back, _ := Sides(way, FromHub(), ToHub())
	return back
}

// isUp reports whether the direction leads to the hub.
func (way Direction) isUp() bool { return way.hub == "out" }

// Sides returns what belongs to the source of a direction, and what to its target. What a conversion
// loses belongs to the side that it starts from.
func Sides[T any](way Direction, spoke, hub T) (source, target T) {
	if way.isUp() {
		return spoke, hub
	}
	return hub, spoke
}
