// Code generated from schema.fbs by generate.mjs with the FlatBuffers compiler. DO NOT EDIT.
// Of each table it has the accessors, and of each enum the constants, that another file of the repository names.

package tfliteschema

import (
	"strings"
	"sync"

	flatbuffers "github.com/google/flatbuffers/go"
)

type Buffer struct{ table }

func (rcv *Buffer) Data(j int) byte {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(4))
	if o != 0 {
		a := rcv._tab.Vector(o)
		return rcv._tab.GetByte(a + flatbuffers.UOffsetT(j*1))
	}
	return 0
}

func (rcv *Buffer) DataLength() int {
	return rcv.length(4)
}

func (rcv *Buffer) DataBytes() []byte {
	return rcv.bytes(4)
}

func (rcv *Buffer) Offset() uint64 {
	return rcv._tab.GetUint64Slot(6, 0)
}

func (rcv *Buffer) Size() uint64 {
	return rcv._tab.GetUint64Slot(8, 0)
}

func BufferStart(builder *flatbuffers.Builder) {
	builder.StartObject(3)
}
func BufferAddData(builder *flatbuffers.Builder, data flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(0, flatbuffers.UOffsetT(data), 0)
}
func BufferAddOffset(builder *flatbuffers.Builder, offset uint64) {
	builder.PrependUint64Slot(1, offset, 0)
}
func BufferAddSize(builder *flatbuffers.Builder, size uint64) {
	builder.PrependUint64Slot(2, size, 0)
}
func BufferEnd(builder *flatbuffers.Builder) flatbuffers.UOffsetT {
	return builder.EndObject()
}

type BuiltinOperator int32

const (
	BuiltinOperatorADD                          BuiltinOperator = 0
	BuiltinOperatorAVERAGE_POOL_2D              BuiltinOperator = 1
	BuiltinOperatorCONCATENATION                BuiltinOperator = 2
	BuiltinOperatorCONV_2D                      BuiltinOperator = 3
	BuiltinOperatorDEPTHWISE_CONV_2D            BuiltinOperator = 4
	BuiltinOperatorDEPTH_TO_SPACE               BuiltinOperator = 5
	BuiltinOperatorDEQUANTIZE                   BuiltinOperator = 6
	BuiltinOperatorFLOOR                        BuiltinOperator = 8
	BuiltinOperatorFULLY_CONNECTED              BuiltinOperator = 9
	BuiltinOperatorL2_NORMALIZATION             BuiltinOperator = 11
	BuiltinOperatorL2_POOL_2D                   BuiltinOperator = 12
	BuiltinOperatorLOGISTIC                     BuiltinOperator = 14
	BuiltinOperatorMAX_POOL_2D                  BuiltinOperator = 17
	BuiltinOperatorMUL                          BuiltinOperator = 18
	BuiltinOperatorRELU                         BuiltinOperator = 19
	BuiltinOperatorRELU6                        BuiltinOperator = 21
	BuiltinOperatorRESHAPE                      BuiltinOperator = 22
	BuiltinOperatorRESIZE_BILINEAR              BuiltinOperator = 23
	BuiltinOperatorSOFTMAX                      BuiltinOperator = 25
	BuiltinOperatorSPACE_TO_DEPTH               BuiltinOperator = 26
	BuiltinOperatorSVDF                         BuiltinOperator = 27
	BuiltinOperatorTANH                         BuiltinOperator = 28
	BuiltinOperatorCALL                         BuiltinOperator = 31
	BuiltinOperatorCUSTOM                       BuiltinOperator = 32
	BuiltinOperatorPAD                          BuiltinOperator = 34
	BuiltinOperatorGATHER                       BuiltinOperator = 36
	BuiltinOperatorBATCH_TO_SPACE_ND            BuiltinOperator = 37
	BuiltinOperatorSPACE_TO_BATCH_ND            BuiltinOperator = 38
	BuiltinOperatorTRANSPOSE                    BuiltinOperator = 39
	BuiltinOperatorMEAN                         BuiltinOperator = 40
	BuiltinOperatorSUB                          BuiltinOperator = 41
	BuiltinOperatorDIV                          BuiltinOperator = 42
	BuiltinOperatorSQUEEZE                      BuiltinOperator = 43
	BuiltinOperatorUNIDIRECTIONAL_SEQUENCE_LSTM BuiltinOperator = 44
	BuiltinOperatorSTRIDED_SLICE                BuiltinOperator = 45
	BuiltinOperatorEXP                          BuiltinOperator = 47
	BuiltinOperatorSPLIT                        BuiltinOperator = 49
	BuiltinOperatorLOG_SOFTMAX                  BuiltinOperator = 50
	BuiltinOperatorCAST                         BuiltinOperator = 53
	BuiltinOperatorPRELU                        BuiltinOperator = 54
	BuiltinOperatorMAXIMUM                      BuiltinOperator = 55
	BuiltinOperatorARG_MAX                      BuiltinOperator = 56
	BuiltinOperatorMINIMUM                      BuiltinOperator = 57
	BuiltinOperatorLESS                         BuiltinOperator = 58
	BuiltinOperatorNEG                          BuiltinOperator = 59
	BuiltinOperatorPADV2                        BuiltinOperator = 60
	BuiltinOperatorGREATER                      BuiltinOperator = 61
	BuiltinOperatorGREATER_EQUAL                BuiltinOperator = 62
	BuiltinOperatorLESS_EQUAL                   BuiltinOperator = 63
	BuiltinOperatorSLICE                        BuiltinOperator = 65
	BuiltinOperatorSIN                          BuiltinOperator = 66
	BuiltinOperatorTRANSPOSE_CONV               BuiltinOperator = 67
	BuiltinOperatorEXPAND_DIMS                  BuiltinOperator = 70
	BuiltinOperatorEQUAL                        BuiltinOperator = 71
	BuiltinOperatorNOT_EQUAL                    BuiltinOperator = 72
	BuiltinOperatorLOG                          BuiltinOperator = 73
	BuiltinOperatorSUM                          BuiltinOperator = 74
	BuiltinOperatorSQRT                         BuiltinOperator = 75
	BuiltinOperatorRSQRT                        BuiltinOperator = 76
	BuiltinOperatorSHAPE                        BuiltinOperator = 77
	BuiltinOperatorARG_MIN                      BuiltinOperator = 79
	BuiltinOperatorREDUCE_MAX                   BuiltinOperator = 82
	BuiltinOperatorPACK                         BuiltinOperator = 83
	BuiltinOperatorLOGICAL_OR                   BuiltinOperator = 84
	BuiltinOperatorLOGICAL_AND                  BuiltinOperator = 86
	BuiltinOperatorLOGICAL_NOT                  BuiltinOperator = 87
	BuiltinOperatorUNPACK                       BuiltinOperator = 88
	BuiltinOperatorREDUCE_MIN                   BuiltinOperator = 89
	BuiltinOperatorFLOOR_DIV                    BuiltinOperator = 90
	BuiltinOperatorSQUARE                       BuiltinOperator = 92
	BuiltinOperatorZEROS_LIKE                   BuiltinOperator = 93
	BuiltinOperatorFILL                         BuiltinOperator = 94
	BuiltinOperatorFLOOR_MOD                    BuiltinOperator = 95
	BuiltinOperatorRESIZE_NEAREST_NEIGHBOR      BuiltinOperator = 97
	BuiltinOperatorLEAKY_RELU                   BuiltinOperator = 98
	BuiltinOperatorSQUARED_DIFFERENCE           BuiltinOperator = 99
	BuiltinOperatorMIRROR_PAD                   BuiltinOperator = 100
	BuiltinOperatorABS                          BuiltinOperator = 101
	BuiltinOperatorSPLIT_V                      BuiltinOperator = 102
	BuiltinOperatorCEIL                         BuiltinOperator = 104
	BuiltinOperatorREVERSE_V2                   BuiltinOperator = 105
	BuiltinOperatorADD_N                        BuiltinOperator = 106
	BuiltinOperatorGATHER_ND                    BuiltinOperator = 107
	BuiltinOperatorCOS                          BuiltinOperator = 108
	BuiltinOperatorWHERE                        BuiltinOperator = 109
	BuiltinOperatorELU                          BuiltinOperator = 111
	BuiltinOperatorQUANTIZE                     BuiltinOperator = 114
	BuiltinOperatorROUND                        BuiltinOperator = 116
	BuiltinOperatorHARD_SWISH                   BuiltinOperator = 117
	BuiltinOperatorIF                           BuiltinOperator = 118
	BuiltinOperatorWHILE                        BuiltinOperator = 119
	BuiltinOperatorSELECT_V2                    BuiltinOperator = 123
	BuiltinOperatorDENSIFY                      BuiltinOperator = 124
	BuiltinOperatorBATCH_MATMUL                 BuiltinOperator = 126
	BuiltinOperatorCUMSUM                       BuiltinOperator = 128
	BuiltinOperatorCALL_ONCE                    BuiltinOperator = 129
	BuiltinOperatorBROADCAST_TO                 BuiltinOperator = 130
	BuiltinOperatorREDUCE_ALL                   BuiltinOperator = 140
	BuiltinOperatorVAR_HANDLE                   BuiltinOperator = 142
	BuiltinOperatorASSIGN_VARIABLE              BuiltinOperator = 144
	BuiltinOperatorBROADCAST_ARGS               BuiltinOperator = 145
	BuiltinOperatorRANDOM_STANDARD_NORMAL       BuiltinOperator = 146
	BuiltinOperatorRANDOM_UNIFORM               BuiltinOperator = 148
	BuiltinOperatorMULTINOMIAL                  BuiltinOperator = 149
	BuiltinOperatorDYNAMIC_UPDATE_SLICE         BuiltinOperator = 151
)

var EnumNamesBuiltinOperator = sync.OnceValue(func() []string {
	return strings.Fields(`
ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE EMBEDDING_LOOKUP FLOOR
FULLY_CONNECTED HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D LOCAL_RESPONSE_NORMALIZATION LOGISTIC
LSH_PROJECTION LSTM MAX_POOL_2D MUL RELU RELU_N1_TO_1 RELU6 RESHAPE RESIZE_BILINEAR RNN SOFTMAX SPACE_TO_DEPTH
SVDF TANH CONCAT_EMBEDDINGS SKIP_GRAM CALL CUSTOM EMBEDDING_LOOKUP_SPARSE PAD UNIDIRECTIONAL_SEQUENCE_RNN
GATHER BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND TRANSPOSE MEAN SUB DIV SQUEEZE UNIDIRECTIONAL_SEQUENCE_LSTM
STRIDED_SLICE BIDIRECTIONAL_SEQUENCE_RNN EXP TOPK_V2 SPLIT LOG_SOFTMAX DELEGATE BIDIRECTIONAL_SEQUENCE_LSTM
CAST PRELU MAXIMUM ARG_MAX MINIMUM LESS NEG PADV2 GREATER GREATER_EQUAL LESS_EQUAL SELECT SLICE SIN
TRANSPOSE_CONV SPARSE_TO_DENSE TILE EXPAND_DIMS EQUAL NOT_EQUAL LOG SUM SQRT RSQRT SHAPE POW ARG_MIN FAKE_QUANT
REDUCE_PROD REDUCE_MAX PACK LOGICAL_OR ONE_HOT LOGICAL_AND LOGICAL_NOT UNPACK REDUCE_MIN FLOOR_DIV REDUCE_ANY
SQUARE ZEROS_LIKE FILL FLOOR_MOD RANGE RESIZE_NEAREST_NEIGHBOR LEAKY_RELU SQUARED_DIFFERENCE MIRROR_PAD ABS
SPLIT_V UNIQUE CEIL REVERSE_V2 ADD_N GATHER_ND COS WHERE RANK ELU REVERSE_SEQUENCE MATRIX_DIAG QUANTIZE
MATRIX_SET_DIAG ROUND HARD_SWISH IF WHILE NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5 SCATTER_ND SELECT_V2
DENSIFY SEGMENT_SUM BATCH_MATMUL PLACEHOLDER_FOR_GREATER_OP_CODES CUMSUM CALL_ONCE BROADCAST_TO RFFT2D CONV_3D
IMAG REAL COMPLEX_ABS HASHTABLE HASHTABLE_FIND HASHTABLE_IMPORT HASHTABLE_SIZE REDUCE_ALL CONV_3D_TRANSPOSE
VAR_HANDLE READ_VARIABLE ASSIGN_VARIABLE BROADCAST_ARGS RANDOM_STANDARD_NORMAL BUCKETIZE RANDOM_UNIFORM
MULTINOMIAL GELU DYNAMIC_UPDATE_SLICE RELU_0_TO_1 UNSORTED_SEGMENT_PROD UNSORTED_SEGMENT_MAX
UNSORTED_SEGMENT_SUM ATAN2 UNSORTED_SEGMENT_MIN SIGN BITCAST BITWISE_XOR RIGHT_SHIFT STABLEHLO_LOGISTIC
STABLEHLO_ADD STABLEHLO_DIVIDE STABLEHLO_MULTIPLY STABLEHLO_MAXIMUM STABLEHLO_RESHAPE STABLEHLO_CLAMP
STABLEHLO_CONCATENATE STABLEHLO_BROADCAST_IN_DIM STABLEHLO_CONVOLUTION STABLEHLO_SLICE STABLEHLO_CUSTOM_CALL
STABLEHLO_REDUCE STABLEHLO_ABS STABLEHLO_AND STABLEHLO_COSINE STABLEHLO_EXPONENTIAL STABLEHLO_FLOOR
STABLEHLO_LOG STABLEHLO_MINIMUM STABLEHLO_NEGATE STABLEHLO_OR STABLEHLO_POWER STABLEHLO_REMAINDER
STABLEHLO_RSQRT STABLEHLO_SELECT STABLEHLO_SUBTRACT STABLEHLO_TANH STABLEHLO_SCATTER STABLEHLO_COMPARE
STABLEHLO_CONVERT STABLEHLO_DYNAMIC_SLICE STABLEHLO_DYNAMIC_UPDATE_SLICE STABLEHLO_PAD STABLEHLO_IOTA
STABLEHLO_DOT_GENERAL STABLEHLO_REDUCE_WINDOW STABLEHLO_SORT STABLEHLO_WHILE STABLEHLO_GATHER
STABLEHLO_TRANSPOSE DILATE STABLEHLO_RNG_BIT_GENERATOR REDUCE_WINDOW STABLEHLO_COMPOSITE STABLEHLO_SHIFT_LEFT
STABLEHLO_CBRT STABLEHLO_CASE`)
})

type Callees struct{ table }

func (rcv *Callees) First() int32 {
	return rcv._tab.GetInt32Slot(4, 0)
}

func (rcv *Callees) Second() int32 {
	return rcv._tab.GetInt32Slot(6, 0)
}

type Metadata struct{ table }

func (rcv *Metadata) Name() []byte {
	return rcv.bytes(4)
}

func (rcv *Metadata) Buffer() uint32 {
	return rcv._tab.GetUint32Slot(6, 0)
}

func MetadataStart(builder *flatbuffers.Builder) {
	builder.StartObject(2)
}
func MetadataAddName(builder *flatbuffers.Builder, name flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(0, flatbuffers.UOffsetT(name), 0)
}
func MetadataAddBuffer(builder *flatbuffers.Builder, buffer uint32) {
	builder.PrependUint32Slot(1, buffer, 0)
}
func MetadataEnd(builder *flatbuffers.Builder) flatbuffers.UOffsetT {
	return builder.EndObject()
}

type Model struct{ table }

const ModelIdentifier = "TFL3"

func GetRootAsModel(buf []byte, offset flatbuffers.UOffsetT) *Model {
	n := flatbuffers.GetUOffsetT(buf[offset:])
	x := &Model{}
	x.Init(buf, n+offset)
	return x
}

func (rcv *Model) Version() uint32 {
	return rcv._tab.GetUint32Slot(4, 0)
}

func (rcv *Model) OperatorCodes(obj *OperatorCode, j int) bool {
	return rcv.element(6, j, &obj.table)
}

func (rcv *Model) OperatorCodesLength() int {
	return rcv.length(6)
}

func (rcv *Model) Subgraphs(obj *SubGraph, j int) bool {
	return rcv.element(8, j, &obj.table)
}

func (rcv *Model) SubgraphsLength() int {
	return rcv.length(8)
}

func (rcv *Model) Description() []byte {
	return rcv.bytes(10)
}

func (rcv *Model) Buffers(obj *Buffer, j int) bool {
	return rcv.element(12, j, &obj.table)
}

func (rcv *Model) BuffersLength() int {
	return rcv.length(12)
}

func (rcv *Model) Metadata(obj *Metadata, j int) bool {
	return rcv.element(16, j, &obj.table)
}

func (rcv *Model) MetadataLength() int {
	return rcv.length(16)
}

func ModelStart(builder *flatbuffers.Builder) {
	builder.StartObject(7)
}
func ModelAddVersion(builder *flatbuffers.Builder, version uint32) {
	builder.PrependUint32Slot(0, version, 0)
}
func ModelAddOperatorCodes(builder *flatbuffers.Builder, operatorCodes flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(1, flatbuffers.UOffsetT(operatorCodes), 0)
}
func ModelAddSubgraphs(builder *flatbuffers.Builder, subgraphs flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(2, flatbuffers.UOffsetT(subgraphs), 0)
}
func ModelAddDescription(builder *flatbuffers.Builder, description flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(3, flatbuffers.UOffsetT(description), 0)
}
func ModelAddBuffers(builder *flatbuffers.Builder, buffers flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(4, flatbuffers.UOffsetT(buffers), 0)
}
func ModelAddMetadata(builder *flatbuffers.Builder, metadata flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(6, flatbuffers.UOffsetT(metadata), 0)
}
func ModelEnd(builder *flatbuffers.Builder) flatbuffers.UOffsetT {
	return builder.EndObject()
}

type Operator struct{ table }

func (rcv *Operator) OpcodeIndex() uint32 {
	return rcv._tab.GetUint32Slot(4, 0)
}

func (rcv *Operator) Inputs(j int) int32 {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(6))
	if o != 0 {
		a := rcv._tab.Vector(o)
		return rcv._tab.GetInt32(a + flatbuffers.UOffsetT(j*4))
	}
	return 0
}

func (rcv *Operator) InputsLength() int {
	return rcv.length(6)
}

func (rcv *Operator) Outputs(j int) int32 {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(8))
	if o != 0 {
		a := rcv._tab.Vector(o)
		return rcv._tab.GetInt32(a + flatbuffers.UOffsetT(j*4))
	}
	return 0
}

func (rcv *Operator) OutputsLength() int {
	return rcv.length(8)
}

func (rcv *Operator) BuiltinOptionsType() byte {
	return rcv._tab.GetByteSlot(10, 0)
}

func OperatorStart(builder *flatbuffers.Builder) {
	builder.StartObject(9)
}
func OperatorAddOpcodeIndex(builder *flatbuffers.Builder, opcodeIndex uint32) {
	builder.PrependUint32Slot(0, opcodeIndex, 0)
}
func OperatorAddInputs(builder *flatbuffers.Builder, inputs flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(1, flatbuffers.UOffsetT(inputs), 0)
}
func OperatorAddOutputs(builder *flatbuffers.Builder, outputs flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(2, flatbuffers.UOffsetT(outputs), 0)
}
func OperatorAddBuiltinOptionsType(builder *flatbuffers.Builder, builtinOptionsType byte) {
	builder.PrependByteSlot(3, builtinOptionsType, 0)
}
func OperatorAddBuiltinOptions(builder *flatbuffers.Builder, builtinOptions flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(4, flatbuffers.UOffsetT(builtinOptions), 0)
}
func OperatorEnd(builder *flatbuffers.Builder) flatbuffers.UOffsetT {
	return builder.EndObject()
}

type OperatorCode struct{ table }

func (rcv *OperatorCode) DeprecatedBuiltinCode() int8 {
	return rcv._tab.GetInt8Slot(4, 0)
}

func (rcv *OperatorCode) CustomCode() []byte {
	return rcv.bytes(6)
}

func (rcv *OperatorCode) BuiltinCode() BuiltinOperator {
	return BuiltinOperator(rcv._tab.GetInt32Slot(10, 0))
}

func OperatorCodeStart(builder *flatbuffers.Builder) {
	builder.StartObject(4)
}
func OperatorCodeAddDeprecatedBuiltinCode(builder *flatbuffers.Builder, deprecatedBuiltinCode int8) {
	builder.PrependInt8Slot(0, deprecatedBuiltinCode, 0)
}
func OperatorCodeAddCustomCode(builder *flatbuffers.Builder, customCode flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(1, flatbuffers.UOffsetT(customCode), 0)
}
func OperatorCodeAddBuiltinCode(builder *flatbuffers.Builder, builtinCode BuiltinOperator) {
	builder.PrependInt32Slot(3, int32(builtinCode), 0)
}
func OperatorCodeEnd(builder *flatbuffers.Builder) flatbuffers.UOffsetT {
	return builder.EndObject()
}

type Quantization struct{ table }

func (rcv *Quantization) Scale(j int) float32 {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(8))
	if o != 0 {
		a := rcv._tab.Vector(o)
		return rcv._tab.GetFloat32(a + flatbuffers.UOffsetT(j*4))
	}
	return 0
}

func (rcv *Quantization) ScaleLength() int {
	return rcv.length(8)
}

func (rcv *Quantization) ZeroPointLength() int {
	return rcv.length(10)
}

func QuantizationStartScaleVector(builder *flatbuffers.Builder, numElems int) flatbuffers.UOffsetT {
	return builder.StartVector(4, numElems, 4)
}
func QuantizationStartZeroPointVector(builder *flatbuffers.Builder, numElems int) flatbuffers.UOffsetT {
	return builder.StartVector(8, numElems, 8)
}

type SubGraph struct{ table }

func (rcv *SubGraph) Tensors(obj *Tensor, j int) bool {
	return rcv.element(4, j, &obj.table)
}

func (rcv *SubGraph) TensorsLength() int {
	return rcv.length(4)
}

func (rcv *SubGraph) Inputs(j int) int32 {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(6))
	if o != 0 {
		a := rcv._tab.Vector(o)
		return rcv._tab.GetInt32(a + flatbuffers.UOffsetT(j*4))
	}
	return 0
}

func (rcv *SubGraph) InputsLength() int {
	return rcv.length(6)
}

func (rcv *SubGraph) Outputs(j int) int32 {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(8))
	if o != 0 {
		a := rcv._tab.Vector(o)
		return rcv._tab.GetInt32(a + flatbuffers.UOffsetT(j*4))
	}
	return 0
}

func (rcv *SubGraph) OutputsLength() int {
	return rcv.length(8)
}

func (rcv *SubGraph) Operators(obj *Operator, j int) bool {
	return rcv.element(10, j, &obj.table)
}

func (rcv *SubGraph) OperatorsLength() int {
	return rcv.length(10)
}

func (rcv *SubGraph) Name() []byte {
	return rcv.bytes(12)
}

func SubGraphStart(builder *flatbuffers.Builder) {
	builder.StartObject(5)
}
func SubGraphAddTensors(builder *flatbuffers.Builder, tensors flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(0, flatbuffers.UOffsetT(tensors), 0)
}
func SubGraphAddInputs(builder *flatbuffers.Builder, inputs flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(1, flatbuffers.UOffsetT(inputs), 0)
}
func SubGraphAddOutputs(builder *flatbuffers.Builder, outputs flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(2, flatbuffers.UOffsetT(outputs), 0)
}
func SubGraphAddOperators(builder *flatbuffers.Builder, operators flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(3, flatbuffers.UOffsetT(operators), 0)
}
func SubGraphAddName(builder *flatbuffers.Builder, name flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(4, flatbuffers.UOffsetT(name), 0)
}
func SubGraphEnd(builder *flatbuffers.Builder) flatbuffers.UOffsetT {
	return builder.EndObject()
}

type Tensor struct{ table }

func (rcv *Tensor) Shape(j int) int32 {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(4))
	if o != 0 {
		a := rcv._tab.Vector(o)
		return rcv._tab.GetInt32(a + flatbuffers.UOffsetT(j*4))
	}
	return 0
}

func (rcv *Tensor) ShapeLength() int {
	return rcv.length(4)
}

func (rcv *Tensor) Type() TensorType {
	return TensorType(rcv._tab.GetInt8Slot(6, 0))
}

func (rcv *Tensor) Buffer() uint32 {
	return rcv._tab.GetUint32Slot(8, 0)
}

func (rcv *Tensor) Name() []byte {
	return rcv.bytes(10)
}

func (rcv *Tensor) Quantization(obj *Quantization) *Quantization {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(12))
	if o != 0 {
		x := rcv._tab.Indirect(o + rcv._tab.Pos)
		if obj == nil {
			obj = new(Quantization)
		}
		obj.Init(rcv._tab.Bytes, x)
		return obj
	}
	return nil
}

func (rcv *Tensor) IsVariable() bool {
	return rcv._tab.GetBoolSlot(14, false)
}

func (rcv *Tensor) ExternalBuffer() uint32 {
	return rcv._tab.GetUint32Slot(24, 0)
}

func TensorStart(builder *flatbuffers.Builder) {
	builder.StartObject(11)
}
func TensorAddShape(builder *flatbuffers.Builder, shape flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(0, flatbuffers.UOffsetT(shape), 0)
}
func TensorAddType(builder *flatbuffers.Builder, type_ TensorType) {
	builder.PrependInt8Slot(1, int8(type_), 0)
}
func TensorAddBuffer(builder *flatbuffers.Builder, buffer uint32) {
	builder.PrependUint32Slot(2, buffer, 0)
}
func TensorAddName(builder *flatbuffers.Builder, name flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(3, flatbuffers.UOffsetT(name), 0)
}
func TensorAddQuantization(builder *flatbuffers.Builder, quantization flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(4, flatbuffers.UOffsetT(quantization), 0)
}
func TensorAddIsVariable(builder *flatbuffers.Builder, isVariable bool) {
	builder.PrependBoolSlot(5, isVariable, false)
}
func TensorEnd(builder *flatbuffers.Builder) flatbuffers.UOffsetT {
	return builder.EndObject()
}

type TensorType int8

const (
	TensorTypeFLOAT32    TensorType = 0
	TensorTypeFLOAT16    TensorType = 1
	TensorTypeINT32      TensorType = 2
	TensorTypeUINT8      TensorType = 3
	TensorTypeINT64      TensorType = 4
	TensorTypeSTRING     TensorType = 5
	TensorTypeBOOL       TensorType = 6
	TensorTypeINT16      TensorType = 7
	TensorTypeCOMPLEX64  TensorType = 8
	TensorTypeINT8       TensorType = 9
	TensorTypeFLOAT64    TensorType = 10
	TensorTypeCOMPLEX128 TensorType = 11
	TensorTypeUINT64     TensorType = 12
	TensorTypeRESOURCE   TensorType = 13
	TensorTypeVARIANT    TensorType = 14
	TensorTypeUINT32     TensorType = 15
	TensorTypeUINT16     TensorType = 16
	TensorTypeINT4       TensorType = 17
	TensorTypeBFLOAT16   TensorType = 18
)

var EnumNamesTensorType = sync.OnceValue(func() []string {
	return strings.Fields(`
FLOAT32 FLOAT16 INT32 UINT8 INT64 STRING BOOL INT16 COMPLEX64 INT8 FLOAT64 COMPLEX128 UINT64 RESOURCE VARIANT
UINT32 UINT16 INT4 BFLOAT16 INT2 UINT4 FLOAT8_E4M3FN FLOAT8_E5M2`)
})
