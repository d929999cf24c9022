package gen

// Idea: serving a transformer has two phases. The prefill reads a whole prompt. Its buffers are large: activations
// have a row for each token, and scores a square. The keys and values of each layer live to the end of the prompt.
// The decode makes one token a step for several sequences at once. Its buffers are small, except for the pages of
// keys and values. A page holds 16 tokens of one layer of one sequence. It is made when the sequence reaches it, and
// lives until the sequence ends. Scores grow with the length of the sequence.

// pageTokens is the number of tokens in a page of keys and values.
const pageTokens = 16

// decoder is the shape of a transformer; elements are of 2 bytes.
type decoder struct{ layers, width, heads, keys int64 }

func (p *program) decoder() decoder {
	return [...]decoder{{12, 768, 12, 768}, {16, 1024, 16, 256}, {24, 1024, 16, 1024}, {24, 2048, 32, 512}}[p.Below(4)]
}

// prefill makes prompts, one after the other.
func prefill(o Options) (*Instance, error) {
	p := newProgram(o, "prefill")
	p.prefill()
	return p.instance(o), nil
}

// prefill adds prompts until the program is full.
func (p *program) prefill() {
	d := p.decoder()
	for !p.full() {
		p.prompt(d, p.Within(2, 32)*64)
	}
}

// prompt adds a prompt of some tokens.
func (p *program) prompt(d decoder, tokens int64) {
	row := 2 * tokens * d.width
	var cache []bufferID
	x := p.op("embedding", row, p.op("tokens", 4*tokens))
	for range d.layers {
		if p.full() {
			return
		}
		y := p.op("norm", row, x)
		q := p.op("query", row, y)
		k := p.op("key", 2*tokens*d.keys, y)
		v := p.op("value", 2*tokens*d.keys, y)
		cache = append(cache, k, v)
		// Heads go in groups, each with its own scores.
		groups := p.Pick(2, 4, 4, 8)
		var contexts []bufferID
		for range groups {
			s := p.op("scores", 2*tokens*tokens*d.heads/groups, q, k)
			s = p.op("softmax", 2*tokens*tokens*d.heads/groups, s)
			contexts = append(contexts, p.op("context", row/groups, s, v))
		}
		y = p.op("joined", row, contexts...)
		y = p.op("projected", row, y)
		x = p.op("add", row, x, y)
		y = p.op("norm", row, x)
		gate, up := p.op("gate", 4*row, y), p.op("up", 4*row, y)
		y = p.op("product", 4*row, gate, up)
		y = p.op("down", row, y)
		x = p.op("add", row, x, y)
	}
	logits := p.op("logits", 2*32000, x)
	p.read(append(cache, logits)...) // handed to the decode
	p.next()
}

// decode makes tokens of several sequences.
func decode(o Options) (*Instance, error) {
	p := newProgram(o, "decode")
	p.decode()
	return p.instance(o), nil
}

// sequence is one that is being decoded.
type sequence struct {
	length, end int64 // tokens so far and in the end
	pages       []bufferID
}

// decode adds steps until the program is full.
func (p *program) decode() {
	d := p.decoder()
	// What the sequences start with takes a quarter of the buffers at most.
	pages := int64(p.room()) / 4 / d.layers
	running := make([]sequence, max(1, min(p.Pick(4, 8, 16), pages/2)))
	longest := min(512, max(1, pages*pageTokens/int64(len(running))))
	fresh := func() sequence {
		length := p.Within(1, longest)
		return sequence{length: length, end: length + p.Within(16, 768)}
	}
	for k := range running {
		running[k] = fresh()
		p.open(d, &running[k], ceilDiv(running[k].length, pageTokens))
	}
	batch := int64(len(running))
	for !p.full() {
		longest := int64(0)
		for k := range running {
			s := &running[k]
			if s.length == s.end {
				p.read(s.pages...)
				*s = fresh()
				p.open(d, s, ceilDiv(s.length, pageTokens))
			}
			if s.length%pageTokens == 0 {
				p.open(d, s, 1)
			}
			s.length++
			longest = max(longest, s.length)
		}
		p.token(d, batch, longest)
	}
	for k := range running {
		p.read(running[k].pages...)
	}
}

// open makes pages for every layer of a sequence.
func (p *program) open(d decoder, s *sequence, pages int64) {
	for range pages * d.layers {
		s.pages = append(s.pages, p.write("page", 2*2*pageTokens*d.keys))
	}
	p.next()
}

// token adds one step of a batch.
func (p *program) token(d decoder, batch, longest int64) {
	row := 2 * batch * d.width
	x := p.op("embedding", row)
	for range d.layers {
		if p.full() {
			return
		}
		y := p.op("norm", row, x)
		qkv := p.op("qkv", row+2*2*batch*d.keys, y)
		s := p.op("scores", 2*batch*d.heads*longest, qkv)
		y = p.op("context", row, s, qkv)
		y = p.op("projected", row, y)
		x = p.op("add", row, x, y)
		y = p.op("norm", row, x)
		y = p.op("up", 8*row, y)
		y = p.op("down", row, y)
		x = p.op("add", row, x, y)
	}
	p.op("logits", 2*batch*32000, x)
}
