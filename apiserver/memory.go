package apiserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
)

// Memory keeps results between runs of the same program.
type Memory interface {
	Load(key string) (data []byte, ok bool)
	Store(key string, data []byte)
}

// keyDigest stands for a type and an expression.
type keyDigest [sha256.Size]byte

func (k cacheKey) digest() keyDigest {
	text := append([]byte(nil), k.kind[:]...)
	text = strconv.AppendQuote(strconv.AppendQuote(text, k.rule), k.message)
	for _, flag := range []bool{k.optional, k.storedRule, k.storedMessage} {
		text = strconv.AppendBool(text, flag)
	}
	return sha256.Sum256(text)
}

// knownRules are compilations without an error. What a compilation depends on is in
// its digest, so that an entry is never out of date, only of no more use.
type knownRules map[keyDigest]compilation

// keptRule is how a compilation is kept, in binary.
type keptRule struct {
	Digest                         keyDigest
	UsesOldSelf, HasMessage        bool
	Cost, Occurrences, MessageCost uint64
}

func (t *Target) rulesKey(name string) string { return "rules of " + name + " for " + t.Version() }

// recall returns what an earlier run compiled for the definition of the name.
func (t *Target) recall(name string) knownRules {
	if t.memory == nil {
		return nil
	}
	data, _ := t.memory.Load(t.rulesKey(name))
	size := binary.Size(keptRule{})
	out := knownRules{}
	for ; len(data) >= size; data = data[size:] {
		var k keptRule
		if _, err := binary.Decode(data, binary.LittleEndian, &k); err != nil {
			return nil
		}
		out[k.Digest] = compilation{
			usesOldSelf: k.UsesOldSelf, cost: k.Cost, occurrences: k.Occurrences, hasMessage: k.HasMessage, messageCost: k.MessageCost,
		}
	}
	return out
}

// keep keeps what was compiled for the definition, if that is not what is kept.
func (t *Target) keep(name string, known knownRules, jobs []*job) {
	if t.memory == nil {
		return
	}
	all := knownRules{}
	for _, j := range jobs {
		for i, c := range j.results {
			if c.failure == nil && c.broken == nil && c.brokenMessage == nil {
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
		data, _ = binary.Append(data, binary.LittleEndian, keptRule{digest, c.usesOldSelf, c.hasMessage, c.cost, c.occurrences, c.messageCost})
	}
	t.memory.Store(t.rulesKey(name), data)
}
