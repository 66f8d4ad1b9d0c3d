package apiserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
)

// ResultCache stores results between runs of the same program.
type ResultCache interface {
	Load(key string) (data []byte, ok bool)
	Store(key string, data []byte)
}

// keyDigest identifies a type and an expression.
type keyDigest [sha256.Size]byte

func (k cacheKey) digest() keyDigest {
	text := append([]byte(nil), k.kind[:]...)
	text = strconv.AppendQuote(strconv.AppendQuote(text, k.rule), k.message)
	for _, flag := range []bool{k.optional, k.storedRule, k.storedMessage} {
		text = strconv.AppendBool(text, flag)
	}
	return sha256.Sum256(text)
}

// knownRules are compilations without an error. The digest covers everything that a
// compilation depends on, so an entry is never stale, only unused.
type knownRules map[keyDigest]compilation

// storedRule is the binary encoding of a compilation.
type storedRule struct {
	Digest                         keyDigest
	UsesOldSelf, HasMessage        bool
	Cost, Occurrences, MessageCost uint64
}

func (t *Target) rulesKey(name string) string { return "rules of " + name + " for " + t.Version() }

// loadRules returns what an earlier run compiled for the definition with the name.
func (t *Target) loadRules(name string) knownRules {
	if t.results == nil {
		return nil
	}
	data, _ := t.results.Load(t.rulesKey(name))
	size := binary.Size(storedRule{})
	out := knownRules{}
	for ; len(data) >= size; data = data[size:] {
		var k storedRule
		if _, err := binary.Decode(data, binary.LittleEndian, &k); err != nil {
			return nil
		}
		out[k.Digest] = compilation{
			usesOldSelf: k.UsesOldSelf, cost: k.Cost, occurrences: k.Occurrences, hasMessage: k.HasMessage, messageCost: k.MessageCost,
		}
	}
	return out
}

// storeRules stores what was compiled for the definition, if it differs from what is
// stored.
func (t *Target) storeRules(name string, known knownRules, jobs []*job) {
	if t.results == nil {
		return
	}
	all := knownRules{}
	for _, j := range jobs {
		for i, c := range j.results {
			if c.failure == nil && c.ruleError == nil && c.messageError == nil {
				all[j.keys[i].digest()] = c
			}
		}
	}
	if maps.Equal(all, known) {
		return
	}
	var data []byte
	for _, digest := range slices.SortedFunc(maps.Keys(all), func(a, b keyDigest) int { return bytes.Compare(a[:], b[:]) }) {
		c := all[digest]
		data, _ = binary.Append(data, binary.LittleEndian,
			storedRule{digest, c.usesOldSelf, c.hasMessage, c.cost, c.occurrences, c.messageCost})
	}
	t.results.Store(t.rulesKey(name), data)
}
