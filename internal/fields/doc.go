// Package fields tells what people want to know about the fields of a custom resource: type,
// description, limits, unions and rules, in words. It knows the model of schemas and unions,
// and neither definitions nor formats of output.
package fields
