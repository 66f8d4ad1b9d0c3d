// Package crd defines a CustomResourceDefinition as packages exchange it: the object, its
// schemas in the model of package structural, and the source position of each part.
//
// It knows neither how a definition is generated nor how an API server judges it. Both Go
// source and YAML files are turned into a [Definition].
package crd
