package editor

import "sync"

// Cache keeps results between the runs of a session, in memory: most definitions are the same
// after a keystroke. What is not used for some time is forgotten. Its zero value is empty.
type Cache struct {
	mu sync.Mutex
	// now are the results since now was last emptied, of size bytes, and before those of the
	// time before that.
	now, before map[string][]byte
	size        int
}

// maxCache is the size of a generation of results.
const maxCache = 16 << 20

// Load returns a result.
func (c *Cache) Load(key string) (data []byte, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	data, ok = c.now[key]
	if !ok {
		data, ok = c.before[key]
		if ok {
			c.store(key, data)
		}
	}
	return data, ok
}

// Store keeps a result.
func (c *Cache) Store(key string, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.store(key, data)
}

func (c *Cache) store(key string, data []byte) {
	if c.size > maxCache || c.now == nil {
		c.now, c.before, c.size = map[string][]byte{}, c.now, 0
	}
	c.now[key] = data
	c.size += len(key) + len(data)
}
