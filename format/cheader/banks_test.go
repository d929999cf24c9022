package cheader

import (
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

func bankPlan() *BankPlan {
	return &BankPlan{
		Name: "net",
		Banks: []Bank{
			{Name: "D-TCM", Bytes: 64, Alignment: 32},
			{Name: "d tcm", Bytes: 32, Alignment: 16},
			{Name: "unused", Alignment: 16},
		},
		Home:    1,
		Arenas:  []ArenaSize{{Target: "32", Bytes: 512}, {Target: "64", Bytes: 1024}},
		Buffers: []BankBuffer{{Name: "a */ b", Size: 64, Last: 2}, {Name: "a */ b", Size: 32, First: 1, Last: 1, Bank: 1}},
	}
}

// TestBankNames: memories and tensors of one name get different identifiers, names end no comment, and a memory without
// a tensor is in the header but not in the class.
func TestBankNames(t *testing.T) {
	var header, class strings.Builder
	must.Do(t, WriteBanks(&header, bankPlan()))
	must.Do(t, WritePlanner(&class, bankPlan()))
	for _, want := range []string{
		"#define NET_MEMORY_D_TCM 0\n", "#define NET_MEMORY_D_TCM_2 1\n", "#define NET_MEMORY_UNUSED 2\n",
		"#define NET_BYTES_D_TCM_2 32\n",
		"#define NET_TENSOR_ARENA_SIZE_32 512 ", "#define NET_BANK_a____b 0 ", "#define NET_BANK_a____b_2 1 ",
	} {
		if !strings.Contains(header.String(), want) {
			t.Errorf("no %q in\n%s", want, &header)
		}
	}
	for _, want := range []string{
		"net_planner(uint8_t* d_tcm_bank, uint8_t* d_tcm_2_bank)",
		"constexpr size_t net_d_tcm_2_size = sizeof(void*) == 4 ? 512 : 1024;",
		"kBuffers = 2, kBanks = 2, kArena = 1", "{64, 0, 2, 0, 0}", "{32, 1, 1, 0, 1}",
	} {
		if !strings.Contains(class.String(), want) {
			t.Errorf("no %q in\n%s", want, &class)
		}
	}
	for _, text := range []string{header.String(), class.String()} {
		if strings.Count(text, "/*") != strings.Count(text, "*/") {
			t.Errorf("a comment is not closed, or closed twice:\n%s", text)
		}
	}
	low := bankPlan()
	low.AtLeast = true
	header.Reset()
	if err := WriteBanks(&header, low); err != nil ||
		!strings.Contains(header.String(), "NET_TENSOR_ARENA_SIZE_32_AT_LEAST 512 ") {
		t.Errorf("%v\n%s", err, &header)
	}
}

// TestBanksRefused has what C or the runtime cannot express.
func TestBanksRefused(t *testing.T) {
	odd, far := bankPlan(), bankPlan()
	odd.Banks[0].Alignment = 48
	far.Buffers[0].Offset = math.MaxInt32 - 63
	for name, p := range map[string]*BankPlan{"must be a power of two": odd, "32 bits for an offset": far} {
		for _, write := range []func(io.Writer, *BankPlan) error{WriteBanks, WritePlanner} {
			if err := write(io.Discard, p); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
