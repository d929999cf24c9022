// Code generated from schema.fbs by generate.mjs with the FlatBuffers compiler. DO NOT EDIT.

package tfliteschema

import (
	"strconv"
	"sync"

	flatbuffers "github.com/google/flatbuffers/go"
)

type Buffer struct {
	_tab flatbuffers.Table
}

func (rcv *Buffer) Init(buf []byte, i flatbuffers.UOffsetT) {
	rcv._tab.Bytes = buf
	rcv._tab.Pos = i
}

func (rcv *Buffer) Table() flatbuffers.Table {
	return rcv._tab
}

func (rcv *Buffer) Data(j int) byte {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(4))
	if o != 0 {
		a := rcv._tab.Vector(o)
		return rcv._tab.GetByte(a + flatbuffers.UOffsetT(j*1))
	}
	return 0
}

func (rcv *Buffer) DataLength() int {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(4))
	if o != 0 {
		return rcv._tab.VectorLen(o)
	}
	return 0
}

func (rcv *Buffer) DataBytes() []byte {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(4))
	if o != 0 {
		return rcv._tab.ByteVector(o + rcv._tab.Pos)
	}
	return nil
}

func (rcv *Buffer) Offset() uint64 {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(6))
	if o != 0 {
		return rcv._tab.GetUint64(o + rcv._tab.Pos)
	}
	return 0
}

func (rcv *Buffer) Size() uint64 {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(8))
	if o != 0 {
		return rcv._tab.GetUint64(o + rcv._tab.Pos)
	}
	return 0
}

func BufferStart(builder *flatbuffers.Builder) {
	builder.StartObject(3)
}

func BufferAddData(builder *flatbuffers.Builder, data flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(0, flatbuffers.UOffsetT(data), 0)
}

func BufferStartDataVector(builder *flatbuffers.Builder, numElems int) flatbuffers.UOffsetT {
	return builder.StartVector(1, numElems, 1)
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
	BuiltinOperatorADD                              BuiltinOperator = 0
	BuiltinOperatorAVERAGE_POOL_2D                  BuiltinOperator = 1
	BuiltinOperatorCONCATENATION                    BuiltinOperator = 2
	BuiltinOperatorCONV_2D                          BuiltinOperator = 3
	BuiltinOperatorDEPTHWISE_CONV_2D                BuiltinOperator = 4
	BuiltinOperatorDEPTH_TO_SPACE                   BuiltinOperator = 5
	BuiltinOperatorDEQUANTIZE                       BuiltinOperator = 6
	BuiltinOperatorEMBEDDING_LOOKUP                 BuiltinOperator = 7
	BuiltinOperatorFLOOR                            BuiltinOperator = 8
	BuiltinOperatorFULLY_CONNECTED                  BuiltinOperator = 9
	BuiltinOperatorHASHTABLE_LOOKUP                 BuiltinOperator = 10
	BuiltinOperatorL2_NORMALIZATION                 BuiltinOperator = 11
	BuiltinOperatorL2_POOL_2D                       BuiltinOperator = 12
	BuiltinOperatorLOCAL_RESPONSE_NORMALIZATION     BuiltinOperator = 13
	BuiltinOperatorLOGISTIC                         BuiltinOperator = 14
	BuiltinOperatorLSH_PROJECTION                   BuiltinOperator = 15
	BuiltinOperatorLSTM                             BuiltinOperator = 16
	BuiltinOperatorMAX_POOL_2D                      BuiltinOperator = 17
	BuiltinOperatorMUL                              BuiltinOperator = 18
	BuiltinOperatorRELU                             BuiltinOperator = 19
	BuiltinOperatorRELU_N1_TO_1                     BuiltinOperator = 20
	BuiltinOperatorRELU6                            BuiltinOperator = 21
	BuiltinOperatorRESHAPE                          BuiltinOperator = 22
	BuiltinOperatorRESIZE_BILINEAR                  BuiltinOperator = 23
	BuiltinOperatorRNN                              BuiltinOperator = 24
	BuiltinOperatorSOFTMAX                          BuiltinOperator = 25
	BuiltinOperatorSPACE_TO_DEPTH                   BuiltinOperator = 26
	BuiltinOperatorSVDF                             BuiltinOperator = 27
	BuiltinOperatorTANH                             BuiltinOperator = 28
	BuiltinOperatorCONCAT_EMBEDDINGS                BuiltinOperator = 29
	BuiltinOperatorSKIP_GRAM                        BuiltinOperator = 30
	BuiltinOperatorCALL                             BuiltinOperator = 31
	BuiltinOperatorCUSTOM                           BuiltinOperator = 32
	BuiltinOperatorEMBEDDING_LOOKUP_SPARSE          BuiltinOperator = 33
	BuiltinOperatorPAD                              BuiltinOperator = 34
	BuiltinOperatorUNIDIRECTIONAL_SEQUENCE_RNN      BuiltinOperator = 35
	BuiltinOperatorGATHER                           BuiltinOperator = 36
	BuiltinOperatorBATCH_TO_SPACE_ND                BuiltinOperator = 37
	BuiltinOperatorSPACE_TO_BATCH_ND                BuiltinOperator = 38
	BuiltinOperatorTRANSPOSE                        BuiltinOperator = 39
	BuiltinOperatorMEAN                             BuiltinOperator = 40
	BuiltinOperatorSUB                              BuiltinOperator = 41
	BuiltinOperatorDIV                              BuiltinOperator = 42
	BuiltinOperatorSQUEEZE                          BuiltinOperator = 43
	BuiltinOperatorUNIDIRECTIONAL_SEQUENCE_LSTM     BuiltinOperator = 44
	BuiltinOperatorSTRIDED_SLICE                    BuiltinOperator = 45
	BuiltinOperatorBIDIRECTIONAL_SEQUENCE_RNN       BuiltinOperator = 46
	BuiltinOperatorEXP                              BuiltinOperator = 47
	BuiltinOperatorTOPK_V2                          BuiltinOperator = 48
	BuiltinOperatorSPLIT                            BuiltinOperator = 49
	BuiltinOperatorLOG_SOFTMAX                      BuiltinOperator = 50
	BuiltinOperatorDELEGATE                         BuiltinOperator = 51
	BuiltinOperatorBIDIRECTIONAL_SEQUENCE_LSTM      BuiltinOperator = 52
	BuiltinOperatorCAST                             BuiltinOperator = 53
	BuiltinOperatorPRELU                            BuiltinOperator = 54
	BuiltinOperatorMAXIMUM                          BuiltinOperator = 55
	BuiltinOperatorARG_MAX                          BuiltinOperator = 56
	BuiltinOperatorMINIMUM                          BuiltinOperator = 57
	BuiltinOperatorLESS                             BuiltinOperator = 58
	BuiltinOperatorNEG                              BuiltinOperator = 59
	BuiltinOperatorPADV2                            BuiltinOperator = 60
	BuiltinOperatorGREATER                          BuiltinOperator = 61
	BuiltinOperatorGREATER_EQUAL                    BuiltinOperator = 62
	BuiltinOperatorLESS_EQUAL                       BuiltinOperator = 63
	BuiltinOperatorSELECT                           BuiltinOperator = 64
	BuiltinOperatorSLICE                            BuiltinOperator = 65
	BuiltinOperatorSIN                              BuiltinOperator = 66
	BuiltinOperatorTRANSPOSE_CONV                   BuiltinOperator = 67
	BuiltinOperatorSPARSE_TO_DENSE                  BuiltinOperator = 68
	BuiltinOperatorTILE                             BuiltinOperator = 69
	BuiltinOperatorEXPAND_DIMS                      BuiltinOperator = 70
	BuiltinOperatorEQUAL                            BuiltinOperator = 71
	BuiltinOperatorNOT_EQUAL                        BuiltinOperator = 72
	BuiltinOperatorLOG                              BuiltinOperator = 73
	BuiltinOperatorSUM                              BuiltinOperator = 74
	BuiltinOperatorSQRT                             BuiltinOperator = 75
	BuiltinOperatorRSQRT                            BuiltinOperator = 76
	BuiltinOperatorSHAPE                            BuiltinOperator = 77
	BuiltinOperatorPOW                              BuiltinOperator = 78
	BuiltinOperatorARG_MIN                          BuiltinOperator = 79
	BuiltinOperatorFAKE_QUANT                       BuiltinOperator = 80
	BuiltinOperatorREDUCE_PROD                      BuiltinOperator = 81
	BuiltinOperatorREDUCE_MAX                       BuiltinOperator = 82
	BuiltinOperatorPACK                             BuiltinOperator = 83
	BuiltinOperatorLOGICAL_OR                       BuiltinOperator = 84
	BuiltinOperatorONE_HOT                          BuiltinOperator = 85
	BuiltinOperatorLOGICAL_AND                      BuiltinOperator = 86
	BuiltinOperatorLOGICAL_NOT                      BuiltinOperator = 87
	BuiltinOperatorUNPACK                           BuiltinOperator = 88
	BuiltinOperatorREDUCE_MIN                       BuiltinOperator = 89
	BuiltinOperatorFLOOR_DIV                        BuiltinOperator = 90
	BuiltinOperatorREDUCE_ANY                       BuiltinOperator = 91
	BuiltinOperatorSQUARE                           BuiltinOperator = 92
	BuiltinOperatorZEROS_LIKE                       BuiltinOperator = 93
	BuiltinOperatorFILL                             BuiltinOperator = 94
	BuiltinOperatorFLOOR_MOD                        BuiltinOperator = 95
	BuiltinOperatorRANGE                            BuiltinOperator = 96
	BuiltinOperatorRESIZE_NEAREST_NEIGHBOR          BuiltinOperator = 97
	BuiltinOperatorLEAKY_RELU                       BuiltinOperator = 98
	BuiltinOperatorSQUARED_DIFFERENCE               BuiltinOperator = 99
	BuiltinOperatorMIRROR_PAD                       BuiltinOperator = 100
	BuiltinOperatorABS                              BuiltinOperator = 101
	BuiltinOperatorSPLIT_V                          BuiltinOperator = 102
	BuiltinOperatorUNIQUE                           BuiltinOperator = 103
	BuiltinOperatorCEIL                             BuiltinOperator = 104
	BuiltinOperatorREVERSE_V2                       BuiltinOperator = 105
	BuiltinOperatorADD_N                            BuiltinOperator = 106
	BuiltinOperatorGATHER_ND                        BuiltinOperator = 107
	BuiltinOperatorCOS                              BuiltinOperator = 108
	BuiltinOperatorWHERE                            BuiltinOperator = 109
	BuiltinOperatorRANK                             BuiltinOperator = 110
	BuiltinOperatorELU                              BuiltinOperator = 111
	BuiltinOperatorREVERSE_SEQUENCE                 BuiltinOperator = 112
	BuiltinOperatorMATRIX_DIAG                      BuiltinOperator = 113
	BuiltinOperatorQUANTIZE                         BuiltinOperator = 114
	BuiltinOperatorMATRIX_SET_DIAG                  BuiltinOperator = 115
	BuiltinOperatorROUND                            BuiltinOperator = 116
	BuiltinOperatorHARD_SWISH                       BuiltinOperator = 117
	BuiltinOperatorIF                               BuiltinOperator = 118
	BuiltinOperatorWHILE                            BuiltinOperator = 119
	BuiltinOperatorNON_MAX_SUPPRESSION_V4           BuiltinOperator = 120
	BuiltinOperatorNON_MAX_SUPPRESSION_V5           BuiltinOperator = 121
	BuiltinOperatorSCATTER_ND                       BuiltinOperator = 122
	BuiltinOperatorSELECT_V2                        BuiltinOperator = 123
	BuiltinOperatorDENSIFY                          BuiltinOperator = 124
	BuiltinOperatorSEGMENT_SUM                      BuiltinOperator = 125
	BuiltinOperatorBATCH_MATMUL                     BuiltinOperator = 126
	BuiltinOperatorPLACEHOLDER_FOR_GREATER_OP_CODES BuiltinOperator = 127
	BuiltinOperatorCUMSUM                           BuiltinOperator = 128
	BuiltinOperatorCALL_ONCE                        BuiltinOperator = 129
	BuiltinOperatorBROADCAST_TO                     BuiltinOperator = 130
	BuiltinOperatorRFFT2D                           BuiltinOperator = 131
	BuiltinOperatorCONV_3D                          BuiltinOperator = 132
	BuiltinOperatorIMAG                             BuiltinOperator = 133
	BuiltinOperatorREAL                             BuiltinOperator = 134
	BuiltinOperatorCOMPLEX_ABS                      BuiltinOperator = 135
	BuiltinOperatorHASHTABLE                        BuiltinOperator = 136
	BuiltinOperatorHASHTABLE_FIND                   BuiltinOperator = 137
	BuiltinOperatorHASHTABLE_IMPORT                 BuiltinOperator = 138
	BuiltinOperatorHASHTABLE_SIZE                   BuiltinOperator = 139
	BuiltinOperatorREDUCE_ALL                       BuiltinOperator = 140
	BuiltinOperatorCONV_3D_TRANSPOSE                BuiltinOperator = 141
	BuiltinOperatorVAR_HANDLE                       BuiltinOperator = 142
	BuiltinOperatorREAD_VARIABLE                    BuiltinOperator = 143
	BuiltinOperatorASSIGN_VARIABLE                  BuiltinOperator = 144
	BuiltinOperatorBROADCAST_ARGS                   BuiltinOperator = 145
	BuiltinOperatorRANDOM_STANDARD_NORMAL           BuiltinOperator = 146
	BuiltinOperatorBUCKETIZE                        BuiltinOperator = 147
	BuiltinOperatorRANDOM_UNIFORM                   BuiltinOperator = 148
	BuiltinOperatorMULTINOMIAL                      BuiltinOperator = 149
	BuiltinOperatorGELU                             BuiltinOperator = 150
	BuiltinOperatorDYNAMIC_UPDATE_SLICE             BuiltinOperator = 151
	BuiltinOperatorRELU_0_TO_1                      BuiltinOperator = 152
	BuiltinOperatorUNSORTED_SEGMENT_PROD            BuiltinOperator = 153
	BuiltinOperatorUNSORTED_SEGMENT_MAX             BuiltinOperator = 154
	BuiltinOperatorUNSORTED_SEGMENT_SUM             BuiltinOperator = 155
	BuiltinOperatorATAN2                            BuiltinOperator = 156
	BuiltinOperatorUNSORTED_SEGMENT_MIN             BuiltinOperator = 157
	BuiltinOperatorSIGN                             BuiltinOperator = 158
	BuiltinOperatorBITCAST                          BuiltinOperator = 159
	BuiltinOperatorBITWISE_XOR                      BuiltinOperator = 160
	BuiltinOperatorRIGHT_SHIFT                      BuiltinOperator = 161
	BuiltinOperatorSTABLEHLO_LOGISTIC               BuiltinOperator = 162
	BuiltinOperatorSTABLEHLO_ADD                    BuiltinOperator = 163
	BuiltinOperatorSTABLEHLO_DIVIDE                 BuiltinOperator = 164
	BuiltinOperatorSTABLEHLO_MULTIPLY               BuiltinOperator = 165
	BuiltinOperatorSTABLEHLO_MAXIMUM                BuiltinOperator = 166
	BuiltinOperatorSTABLEHLO_RESHAPE                BuiltinOperator = 167
	BuiltinOperatorSTABLEHLO_CLAMP                  BuiltinOperator = 168
	BuiltinOperatorSTABLEHLO_CONCATENATE            BuiltinOperator = 169
	BuiltinOperatorSTABLEHLO_BROADCAST_IN_DIM       BuiltinOperator = 170
	BuiltinOperatorSTABLEHLO_CONVOLUTION            BuiltinOperator = 171
	BuiltinOperatorSTABLEHLO_SLICE                  BuiltinOperator = 172
	BuiltinOperatorSTABLEHLO_CUSTOM_CALL            BuiltinOperator = 173
	BuiltinOperatorSTABLEHLO_REDUCE                 BuiltinOperator = 174
	BuiltinOperatorSTABLEHLO_ABS                    BuiltinOperator = 175
	BuiltinOperatorSTABLEHLO_AND                    BuiltinOperator = 176
	BuiltinOperatorSTABLEHLO_COSINE                 BuiltinOperator = 177
	BuiltinOperatorSTABLEHLO_EXPONENTIAL            BuiltinOperator = 178
	BuiltinOperatorSTABLEHLO_FLOOR                  BuiltinOperator = 179
	BuiltinOperatorSTABLEHLO_LOG                    BuiltinOperator = 180
	BuiltinOperatorSTABLEHLO_MINIMUM                BuiltinOperator = 181
	BuiltinOperatorSTABLEHLO_NEGATE                 BuiltinOperator = 182
	BuiltinOperatorSTABLEHLO_OR                     BuiltinOperator = 183
	BuiltinOperatorSTABLEHLO_POWER                  BuiltinOperator = 184
	BuiltinOperatorSTABLEHLO_REMAINDER              BuiltinOperator = 185
	BuiltinOperatorSTABLEHLO_RSQRT                  BuiltinOperator = 186
	BuiltinOperatorSTABLEHLO_SELECT                 BuiltinOperator = 187
	BuiltinOperatorSTABLEHLO_SUBTRACT               BuiltinOperator = 188
	BuiltinOperatorSTABLEHLO_TANH                   BuiltinOperator = 189
	BuiltinOperatorSTABLEHLO_SCATTER                BuiltinOperator = 190
	BuiltinOperatorSTABLEHLO_COMPARE                BuiltinOperator = 191
	BuiltinOperatorSTABLEHLO_CONVERT                BuiltinOperator = 192
	BuiltinOperatorSTABLEHLO_DYNAMIC_SLICE          BuiltinOperator = 193
	BuiltinOperatorSTABLEHLO_DYNAMIC_UPDATE_SLICE   BuiltinOperator = 194
	BuiltinOperatorSTABLEHLO_PAD                    BuiltinOperator = 195
	BuiltinOperatorSTABLEHLO_IOTA                   BuiltinOperator = 196
	BuiltinOperatorSTABLEHLO_DOT_GENERAL            BuiltinOperator = 197
	BuiltinOperatorSTABLEHLO_REDUCE_WINDOW          BuiltinOperator = 198
	BuiltinOperatorSTABLEHLO_SORT                   BuiltinOperator = 199
	BuiltinOperatorSTABLEHLO_WHILE                  BuiltinOperator = 200
	BuiltinOperatorSTABLEHLO_GATHER                 BuiltinOperator = 201
	BuiltinOperatorSTABLEHLO_TRANSPOSE              BuiltinOperator = 202
	BuiltinOperatorDILATE                           BuiltinOperator = 203
	BuiltinOperatorSTABLEHLO_RNG_BIT_GENERATOR      BuiltinOperator = 204
	BuiltinOperatorREDUCE_WINDOW                    BuiltinOperator = 205
	BuiltinOperatorSTABLEHLO_COMPOSITE              BuiltinOperator = 206
	BuiltinOperatorSTABLEHLO_SHIFT_LEFT             BuiltinOperator = 207
	BuiltinOperatorSTABLEHLO_CBRT                   BuiltinOperator = 208
	BuiltinOperatorSTABLEHLO_CASE                   BuiltinOperator = 209
)

var EnumNamesBuiltinOperator = sync.OnceValue(func() map[BuiltinOperator]string {
	return map[BuiltinOperator]string{
		BuiltinOperatorADD:                              "ADD",
		BuiltinOperatorAVERAGE_POOL_2D:                  "AVERAGE_POOL_2D",
		BuiltinOperatorCONCATENATION:                    "CONCATENATION",
		BuiltinOperatorCONV_2D:                          "CONV_2D",
		BuiltinOperatorDEPTHWISE_CONV_2D:                "DEPTHWISE_CONV_2D",
		BuiltinOperatorDEPTH_TO_SPACE:                   "DEPTH_TO_SPACE",
		BuiltinOperatorDEQUANTIZE:                       "DEQUANTIZE",
		BuiltinOperatorEMBEDDING_LOOKUP:                 "EMBEDDING_LOOKUP",
		BuiltinOperatorFLOOR:                            "FLOOR",
		BuiltinOperatorFULLY_CONNECTED:                  "FULLY_CONNECTED",
		BuiltinOperatorHASHTABLE_LOOKUP:                 "HASHTABLE_LOOKUP",
		BuiltinOperatorL2_NORMALIZATION:                 "L2_NORMALIZATION",
		BuiltinOperatorL2_POOL_2D:                       "L2_POOL_2D",
		BuiltinOperatorLOCAL_RESPONSE_NORMALIZATION:     "LOCAL_RESPONSE_NORMALIZATION",
		BuiltinOperatorLOGISTIC:                         "LOGISTIC",
		BuiltinOperatorLSH_PROJECTION:                   "LSH_PROJECTION",
		BuiltinOperatorLSTM:                             "LSTM",
		BuiltinOperatorMAX_POOL_2D:                      "MAX_POOL_2D",
		BuiltinOperatorMUL:                              "MUL",
		BuiltinOperatorRELU:                             "RELU",
		BuiltinOperatorRELU_N1_TO_1:                     "RELU_N1_TO_1",
		BuiltinOperatorRELU6:                            "RELU6",
		BuiltinOperatorRESHAPE:                          "RESHAPE",
		BuiltinOperatorRESIZE_BILINEAR:                  "RESIZE_BILINEAR",
		BuiltinOperatorRNN:                              "RNN",
		BuiltinOperatorSOFTMAX:                          "SOFTMAX",
		BuiltinOperatorSPACE_TO_DEPTH:                   "SPACE_TO_DEPTH",
		BuiltinOperatorSVDF:                             "SVDF",
		BuiltinOperatorTANH:                             "TANH",
		BuiltinOperatorCONCAT_EMBEDDINGS:                "CONCAT_EMBEDDINGS",
		BuiltinOperatorSKIP_GRAM:                        "SKIP_GRAM",
		BuiltinOperatorCALL:                             "CALL",
		BuiltinOperatorCUSTOM:                           "CUSTOM",
		BuiltinOperatorEMBEDDING_LOOKUP_SPARSE:          "EMBEDDING_LOOKUP_SPARSE",
		BuiltinOperatorPAD:                              "PAD",
		BuiltinOperatorUNIDIRECTIONAL_SEQUENCE_RNN:      "UNIDIRECTIONAL_SEQUENCE_RNN",
		BuiltinOperatorGATHER:                           "GATHER",
		BuiltinOperatorBATCH_TO_SPACE_ND:                "BATCH_TO_SPACE_ND",
		BuiltinOperatorSPACE_TO_BATCH_ND:                "SPACE_TO_BATCH_ND",
		BuiltinOperatorTRANSPOSE:                        "TRANSPOSE",
		BuiltinOperatorMEAN:                             "MEAN",
		BuiltinOperatorSUB:                              "SUB",
		BuiltinOperatorDIV:                              "DIV",
		BuiltinOperatorSQUEEZE:                          "SQUEEZE",
		BuiltinOperatorUNIDIRECTIONAL_SEQUENCE_LSTM:     "UNIDIRECTIONAL_SEQUENCE_LSTM",
		BuiltinOperatorSTRIDED_SLICE:                    "STRIDED_SLICE",
		BuiltinOperatorBIDIRECTIONAL_SEQUENCE_RNN:       "BIDIRECTIONAL_SEQUENCE_RNN",
		BuiltinOperatorEXP:                              "EXP",
		BuiltinOperatorTOPK_V2:                          "TOPK_V2",
		BuiltinOperatorSPLIT:                            "SPLIT",
		BuiltinOperatorLOG_SOFTMAX:                      "LOG_SOFTMAX",
		BuiltinOperatorDELEGATE:                         "DELEGATE",
		BuiltinOperatorBIDIRECTIONAL_SEQUENCE_LSTM:      "BIDIRECTIONAL_SEQUENCE_LSTM",
		BuiltinOperatorCAST:                             "CAST",
		BuiltinOperatorPRELU:                            "PRELU",
		BuiltinOperatorMAXIMUM:                          "MAXIMUM",
		BuiltinOperatorARG_MAX:                          "ARG_MAX",
		BuiltinOperatorMINIMUM:                          "MINIMUM",
		BuiltinOperatorLESS:                             "LESS",
		BuiltinOperatorNEG:                              "NEG",
		BuiltinOperatorPADV2:                            "PADV2",
		BuiltinOperatorGREATER:                          "GREATER",
		BuiltinOperatorGREATER_EQUAL:                    "GREATER_EQUAL",
		BuiltinOperatorLESS_EQUAL:                       "LESS_EQUAL",
		BuiltinOperatorSELECT:                           "SELECT",
		BuiltinOperatorSLICE:                            "SLICE",
		BuiltinOperatorSIN:                              "SIN",
		BuiltinOperatorTRANSPOSE_CONV:                   "TRANSPOSE_CONV",
		BuiltinOperatorSPARSE_TO_DENSE:                  "SPARSE_TO_DENSE",
		BuiltinOperatorTILE:                             "TILE",
		BuiltinOperatorEXPAND_DIMS:                      "EXPAND_DIMS",
		BuiltinOperatorEQUAL:                            "EQUAL",
		BuiltinOperatorNOT_EQUAL:                        "NOT_EQUAL",
		BuiltinOperatorLOG:                              "LOG",
		BuiltinOperatorSUM:                              "SUM",
		BuiltinOperatorSQRT:                             "SQRT",
		BuiltinOperatorRSQRT:                            "RSQRT",
		BuiltinOperatorSHAPE:                            "SHAPE",
		BuiltinOperatorPOW:                              "POW",
		BuiltinOperatorARG_MIN:                          "ARG_MIN",
		BuiltinOperatorFAKE_QUANT:                       "FAKE_QUANT",
		BuiltinOperatorREDUCE_PROD:                      "REDUCE_PROD",
		BuiltinOperatorREDUCE_MAX:                       "REDUCE_MAX",
		BuiltinOperatorPACK:                             "PACK",
		BuiltinOperatorLOGICAL_OR:                       "LOGICAL_OR",
		BuiltinOperatorONE_HOT:                          "ONE_HOT",
		BuiltinOperatorLOGICAL_AND:                      "LOGICAL_AND",
		BuiltinOperatorLOGICAL_NOT:                      "LOGICAL_NOT",
		BuiltinOperatorUNPACK:                           "UNPACK",
		BuiltinOperatorREDUCE_MIN:                       "REDUCE_MIN",
		BuiltinOperatorFLOOR_DIV:                        "FLOOR_DIV",
		BuiltinOperatorREDUCE_ANY:                       "REDUCE_ANY",
		BuiltinOperatorSQUARE:                           "SQUARE",
		BuiltinOperatorZEROS_LIKE:                       "ZEROS_LIKE",
		BuiltinOperatorFILL:                             "FILL",
		BuiltinOperatorFLOOR_MOD:                        "FLOOR_MOD",
		BuiltinOperatorRANGE:                            "RANGE",
		BuiltinOperatorRESIZE_NEAREST_NEIGHBOR:          "RESIZE_NEAREST_NEIGHBOR",
		BuiltinOperatorLEAKY_RELU:                       "LEAKY_RELU",
		BuiltinOperatorSQUARED_DIFFERENCE:               "SQUARED_DIFFERENCE",
		BuiltinOperatorMIRROR_PAD:                       "MIRROR_PAD",
		BuiltinOperatorABS:                              "ABS",
		BuiltinOperatorSPLIT_V:                          "SPLIT_V",
		BuiltinOperatorUNIQUE:                           "UNIQUE",
		BuiltinOperatorCEIL:                             "CEIL",
		BuiltinOperatorREVERSE_V2:                       "REVERSE_V2",
		BuiltinOperatorADD_N:                            "ADD_N",
		BuiltinOperatorGATHER_ND:                        "GATHER_ND",
		BuiltinOperatorCOS:                              "COS",
		BuiltinOperatorWHERE:                            "WHERE",
		BuiltinOperatorRANK:                             "RANK",
		BuiltinOperatorELU:                              "ELU",
		BuiltinOperatorREVERSE_SEQUENCE:                 "REVERSE_SEQUENCE",
		BuiltinOperatorMATRIX_DIAG:                      "MATRIX_DIAG",
		BuiltinOperatorQUANTIZE:                         "QUANTIZE",
		BuiltinOperatorMATRIX_SET_DIAG:                  "MATRIX_SET_DIAG",
		BuiltinOperatorROUND:                            "ROUND",
		BuiltinOperatorHARD_SWISH:                       "HARD_SWISH",
		BuiltinOperatorIF:                               "IF",
		BuiltinOperatorWHILE:                            "WHILE",
		BuiltinOperatorNON_MAX_SUPPRESSION_V4:           "NON_MAX_SUPPRESSION_V4",
		BuiltinOperatorNON_MAX_SUPPRESSION_V5:           "NON_MAX_SUPPRESSION_V5",
		BuiltinOperatorSCATTER_ND:                       "SCATTER_ND",
		BuiltinOperatorSELECT_V2:                        "SELECT_V2",
		BuiltinOperatorDENSIFY:                          "DENSIFY",
		BuiltinOperatorSEGMENT_SUM:                      "SEGMENT_SUM",
		BuiltinOperatorBATCH_MATMUL:                     "BATCH_MATMUL",
		BuiltinOperatorPLACEHOLDER_FOR_GREATER_OP_CODES: "PLACEHOLDER_FOR_GREATER_OP_CODES",
		BuiltinOperatorCUMSUM:                           "CUMSUM",
		BuiltinOperatorCALL_ONCE:                        "CALL_ONCE",
		BuiltinOperatorBROADCAST_TO:                     "BROADCAST_TO",
		BuiltinOperatorRFFT2D:                           "RFFT2D",
		BuiltinOperatorCONV_3D:                          "CONV_3D",
		BuiltinOperatorIMAG:                             "IMAG",
		BuiltinOperatorREAL:                             "REAL",
		BuiltinOperatorCOMPLEX_ABS:                      "COMPLEX_ABS",
		BuiltinOperatorHASHTABLE:                        "HASHTABLE",
		BuiltinOperatorHASHTABLE_FIND:                   "HASHTABLE_FIND",
		BuiltinOperatorHASHTABLE_IMPORT:                 "HASHTABLE_IMPORT",
		BuiltinOperatorHASHTABLE_SIZE:                   "HASHTABLE_SIZE",
		BuiltinOperatorREDUCE_ALL:                       "REDUCE_ALL",
		BuiltinOperatorCONV_3D_TRANSPOSE:                "CONV_3D_TRANSPOSE",
		BuiltinOperatorVAR_HANDLE:                       "VAR_HANDLE",
		BuiltinOperatorREAD_VARIABLE:                    "READ_VARIABLE",
		BuiltinOperatorASSIGN_VARIABLE:                  "ASSIGN_VARIABLE",
		BuiltinOperatorBROADCAST_ARGS:                   "BROADCAST_ARGS",
		BuiltinOperatorRANDOM_STANDARD_NORMAL:           "RANDOM_STANDARD_NORMAL",
		BuiltinOperatorBUCKETIZE:                        "BUCKETIZE",
		BuiltinOperatorRANDOM_UNIFORM:                   "RANDOM_UNIFORM",
		BuiltinOperatorMULTINOMIAL:                      "MULTINOMIAL",
		BuiltinOperatorGELU:                             "GELU",
		BuiltinOperatorDYNAMIC_UPDATE_SLICE:             "DYNAMIC_UPDATE_SLICE",
		BuiltinOperatorRELU_0_TO_1:                      "RELU_0_TO_1",
		BuiltinOperatorUNSORTED_SEGMENT_PROD:            "UNSORTED_SEGMENT_PROD",
		BuiltinOperatorUNSORTED_SEGMENT_MAX:             "UNSORTED_SEGMENT_MAX",
		BuiltinOperatorUNSORTED_SEGMENT_SUM:             "UNSORTED_SEGMENT_SUM",
		BuiltinOperatorATAN2:                            "ATAN2",
		BuiltinOperatorUNSORTED_SEGMENT_MIN:             "UNSORTED_SEGMENT_MIN",
		BuiltinOperatorSIGN:                             "SIGN",
		BuiltinOperatorBITCAST:                          "BITCAST",
		BuiltinOperatorBITWISE_XOR:                      "BITWISE_XOR",
		BuiltinOperatorRIGHT_SHIFT:                      "RIGHT_SHIFT",
		BuiltinOperatorSTABLEHLO_LOGISTIC:               "STABLEHLO_LOGISTIC",
		BuiltinOperatorSTABLEHLO_ADD:                    "STABLEHLO_ADD",
		BuiltinOperatorSTABLEHLO_DIVIDE:                 "STABLEHLO_DIVIDE",
		BuiltinOperatorSTABLEHLO_MULTIPLY:               "STABLEHLO_MULTIPLY",
		BuiltinOperatorSTABLEHLO_MAXIMUM:                "STABLEHLO_MAXIMUM",
		BuiltinOperatorSTABLEHLO_RESHAPE:                "STABLEHLO_RESHAPE",
		BuiltinOperatorSTABLEHLO_CLAMP:                  "STABLEHLO_CLAMP",
		BuiltinOperatorSTABLEHLO_CONCATENATE:            "STABLEHLO_CONCATENATE",
		BuiltinOperatorSTABLEHLO_BROADCAST_IN_DIM:       "STABLEHLO_BROADCAST_IN_DIM",
		BuiltinOperatorSTABLEHLO_CONVOLUTION:            "STABLEHLO_CONVOLUTION",
		BuiltinOperatorSTABLEHLO_SLICE:                  "STABLEHLO_SLICE",
		BuiltinOperatorSTABLEHLO_CUSTOM_CALL:            "STABLEHLO_CUSTOM_CALL",
		BuiltinOperatorSTABLEHLO_REDUCE:                 "STABLEHLO_REDUCE",
		BuiltinOperatorSTABLEHLO_ABS:                    "STABLEHLO_ABS",
		BuiltinOperatorSTABLEHLO_AND:                    "STABLEHLO_AND",
		BuiltinOperatorSTABLEHLO_COSINE:                 "STABLEHLO_COSINE",
		BuiltinOperatorSTABLEHLO_EXPONENTIAL:            "STABLEHLO_EXPONENTIAL",
		BuiltinOperatorSTABLEHLO_FLOOR:                  "STABLEHLO_FLOOR",
		BuiltinOperatorSTABLEHLO_LOG:                    "STABLEHLO_LOG",
		BuiltinOperatorSTABLEHLO_MINIMUM:                "STABLEHLO_MINIMUM",
		BuiltinOperatorSTABLEHLO_NEGATE:                 "STABLEHLO_NEGATE",
		BuiltinOperatorSTABLEHLO_OR:                     "STABLEHLO_OR",
		BuiltinOperatorSTABLEHLO_POWER:                  "STABLEHLO_POWER",
		BuiltinOperatorSTABLEHLO_REMAINDER:              "STABLEHLO_REMAINDER",
		BuiltinOperatorSTABLEHLO_RSQRT:                  "STABLEHLO_RSQRT",
		BuiltinOperatorSTABLEHLO_SELECT:                 "STABLEHLO_SELECT",
		BuiltinOperatorSTABLEHLO_SUBTRACT:               "STABLEHLO_SUBTRACT",
		BuiltinOperatorSTABLEHLO_TANH:                   "STABLEHLO_TANH",
		BuiltinOperatorSTABLEHLO_SCATTER:                "STABLEHLO_SCATTER",
		BuiltinOperatorSTABLEHLO_COMPARE:                "STABLEHLO_COMPARE",
		BuiltinOperatorSTABLEHLO_CONVERT:                "STABLEHLO_CONVERT",
		BuiltinOperatorSTABLEHLO_DYNAMIC_SLICE:          "STABLEHLO_DYNAMIC_SLICE",
		BuiltinOperatorSTABLEHLO_DYNAMIC_UPDATE_SLICE:   "STABLEHLO_DYNAMIC_UPDATE_SLICE",
		BuiltinOperatorSTABLEHLO_PAD:                    "STABLEHLO_PAD",
		BuiltinOperatorSTABLEHLO_IOTA:                   "STABLEHLO_IOTA",
		BuiltinOperatorSTABLEHLO_DOT_GENERAL:            "STABLEHLO_DOT_GENERAL",
		BuiltinOperatorSTABLEHLO_REDUCE_WINDOW:          "STABLEHLO_REDUCE_WINDOW",
		BuiltinOperatorSTABLEHLO_SORT:                   "STABLEHLO_SORT",
		BuiltinOperatorSTABLEHLO_WHILE:                  "STABLEHLO_WHILE",
		BuiltinOperatorSTABLEHLO_GATHER:                 "STABLEHLO_GATHER",
		BuiltinOperatorSTABLEHLO_TRANSPOSE:              "STABLEHLO_TRANSPOSE",
		BuiltinOperatorDILATE:                           "DILATE",
		BuiltinOperatorSTABLEHLO_RNG_BIT_GENERATOR:      "STABLEHLO_RNG_BIT_GENERATOR",
		BuiltinOperatorREDUCE_WINDOW:                    "REDUCE_WINDOW",
		BuiltinOperatorSTABLEHLO_COMPOSITE:              "STABLEHLO_COMPOSITE",
		BuiltinOperatorSTABLEHLO_SHIFT_LEFT:             "STABLEHLO_SHIFT_LEFT",
		BuiltinOperatorSTABLEHLO_CBRT:                   "STABLEHLO_CBRT",
		BuiltinOperatorSTABLEHLO_CASE:                   "STABLEHLO_CASE",
	}
})

func (v BuiltinOperator) String() string {
	if s, ok := EnumNamesBuiltinOperator()[v]; ok {
		return s
	}
	return "BuiltinOperator(" + strconv.FormatInt(int64(v), 10) + ")"
}

type Callees struct {
	_tab flatbuffers.Table
}

func (rcv *Callees) Init(buf []byte, i flatbuffers.UOffsetT) {
	rcv._tab.Bytes = buf
	rcv._tab.Pos = i
}

func (rcv *Callees) Table() flatbuffers.Table {
	return rcv._tab
}

func (rcv *Callees) First() int32 {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(4))
	if o != 0 {
		return rcv._tab.GetInt32(o + rcv._tab.Pos)
	}
	return 0
}

func (rcv *Callees) Second() int32 {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(6))
	if o != 0 {
		return rcv._tab.GetInt32(o + rcv._tab.Pos)
	}
	return 0
}

func CalleesStart(builder *flatbuffers.Builder) {
	builder.StartObject(2)
}

func CalleesAddFirst(builder *flatbuffers.Builder, first int32) {
	builder.PrependInt32Slot(0, first, 0)
}

func CalleesAddSecond(builder *flatbuffers.Builder, second int32) {
	builder.PrependInt32Slot(1, second, 0)
}

func CalleesEnd(builder *flatbuffers.Builder) flatbuffers.UOffsetT {
	return builder.EndObject()
}

type Metadata struct {
	_tab flatbuffers.Table
}

func (rcv *Metadata) Init(buf []byte, i flatbuffers.UOffsetT) {
	rcv._tab.Bytes = buf
	rcv._tab.Pos = i
}

func (rcv *Metadata) Table() flatbuffers.Table {
	return rcv._tab
}

func (rcv *Metadata) Name() []byte {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(4))
	if o != 0 {
		return rcv._tab.ByteVector(o + rcv._tab.Pos)
	}
	return nil
}

func (rcv *Metadata) Buffer() uint32 {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(6))
	if o != 0 {
		return rcv._tab.GetUint32(o + rcv._tab.Pos)
	}
	return 0
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

type Model struct {
	_tab flatbuffers.Table
}

const ModelIdentifier = "TFL3"

func GetRootAsModel(buf []byte, offset flatbuffers.UOffsetT) *Model {
	n := flatbuffers.GetUOffsetT(buf[offset:])
	x := &Model{}
	x.Init(buf, n+offset)
	return x
}

func (rcv *Model) Init(buf []byte, i flatbuffers.UOffsetT) {
	rcv._tab.Bytes = buf
	rcv._tab.Pos = i
}

func (rcv *Model) Table() flatbuffers.Table {
	return rcv._tab
}

func (rcv *Model) Version() uint32 {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(4))
	if o != 0 {
		return rcv._tab.GetUint32(o + rcv._tab.Pos)
	}
	return 0
}

func (rcv *Model) OperatorCodes(obj *OperatorCode, j int) bool {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(6))
	if o != 0 {
		x := rcv._tab.Vector(o)
		x += flatbuffers.UOffsetT(j) * 4
		x = rcv._tab.Indirect(x)
		if obj == nil {
			obj = new(OperatorCode)
		}
		obj.Init(rcv._tab.Bytes, x)
		return true
	}
	return false
}

func (rcv *Model) OperatorCodesLength() int {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(6))
	if o != 0 {
		return rcv._tab.VectorLen(o)
	}
	return 0
}

func (rcv *Model) Subgraphs(obj *SubGraph, j int) bool {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(8))
	if o != 0 {
		x := rcv._tab.Vector(o)
		x += flatbuffers.UOffsetT(j) * 4
		x = rcv._tab.Indirect(x)
		if obj == nil {
			obj = new(SubGraph)
		}
		obj.Init(rcv._tab.Bytes, x)
		return true
	}
	return false
}

func (rcv *Model) SubgraphsLength() int {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(8))
	if o != 0 {
		return rcv._tab.VectorLen(o)
	}
	return 0
}

func (rcv *Model) Description() []byte {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(10))
	if o != 0 {
		return rcv._tab.ByteVector(o + rcv._tab.Pos)
	}
	return nil
}

func (rcv *Model) Buffers(obj *Buffer, j int) bool {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(12))
	if o != 0 {
		x := rcv._tab.Vector(o)
		x += flatbuffers.UOffsetT(j) * 4
		x = rcv._tab.Indirect(x)
		if obj == nil {
			obj = new(Buffer)
		}
		obj.Init(rcv._tab.Bytes, x)
		return true
	}
	return false
}

func (rcv *Model) BuffersLength() int {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(12))
	if o != 0 {
		return rcv._tab.VectorLen(o)
	}
	return 0
}

func (rcv *Model) Metadata(obj *Metadata, j int) bool {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(16))
	if o != 0 {
		x := rcv._tab.Vector(o)
		x += flatbuffers.UOffsetT(j) * 4
		x = rcv._tab.Indirect(x)
		if obj == nil {
			obj = new(Metadata)
		}
		obj.Init(rcv._tab.Bytes, x)
		return true
	}
	return false
}

func (rcv *Model) MetadataLength() int {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(16))
	if o != 0 {
		return rcv._tab.VectorLen(o)
	}
	return 0
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

func ModelStartOperatorCodesVector(builder *flatbuffers.Builder, numElems int) flatbuffers.UOffsetT {
	return builder.StartVector(4, numElems, 4)
}

func ModelAddSubgraphs(builder *flatbuffers.Builder, subgraphs flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(2, flatbuffers.UOffsetT(subgraphs), 0)
}

func ModelStartSubgraphsVector(builder *flatbuffers.Builder, numElems int) flatbuffers.UOffsetT {
	return builder.StartVector(4, numElems, 4)
}

func ModelAddDescription(builder *flatbuffers.Builder, description flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(3, flatbuffers.UOffsetT(description), 0)
}

func ModelAddBuffers(builder *flatbuffers.Builder, buffers flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(4, flatbuffers.UOffsetT(buffers), 0)
}

func ModelStartBuffersVector(builder *flatbuffers.Builder, numElems int) flatbuffers.UOffsetT {
	return builder.StartVector(4, numElems, 4)
}

func ModelAddMetadata(builder *flatbuffers.Builder, metadata flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(6, flatbuffers.UOffsetT(metadata), 0)
}

func ModelStartMetadataVector(builder *flatbuffers.Builder, numElems int) flatbuffers.UOffsetT {
	return builder.StartVector(4, numElems, 4)
}

func ModelEnd(builder *flatbuffers.Builder) flatbuffers.UOffsetT {
	return builder.EndObject()
}

type Operator struct {
	_tab flatbuffers.Table
}

func (rcv *Operator) Init(buf []byte, i flatbuffers.UOffsetT) {
	rcv._tab.Bytes = buf
	rcv._tab.Pos = i
}

func (rcv *Operator) Table() flatbuffers.Table {
	return rcv._tab
}

func (rcv *Operator) OpcodeIndex() uint32 {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(4))
	if o != 0 {
		return rcv._tab.GetUint32(o + rcv._tab.Pos)
	}
	return 0
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
	o := flatbuffers.UOffsetT(rcv._tab.Offset(6))
	if o != 0 {
		return rcv._tab.VectorLen(o)
	}
	return 0
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
	o := flatbuffers.UOffsetT(rcv._tab.Offset(8))
	if o != 0 {
		return rcv._tab.VectorLen(o)
	}
	return 0
}

func (rcv *Operator) BuiltinOptionsType() byte {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(10))
	if o != 0 {
		return rcv._tab.GetByte(o + rcv._tab.Pos)
	}
	return 0
}

func (rcv *Operator) BuiltinOptions(obj *Callees) *Callees {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(12))
	if o != 0 {
		x := rcv._tab.Indirect(o + rcv._tab.Pos)
		if obj == nil {
			obj = new(Callees)
		}
		obj.Init(rcv._tab.Bytes, x)
		return obj
	}
	return nil
}

func (rcv *Operator) Intermediates(j int) int32 {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(20))
	if o != 0 {
		a := rcv._tab.Vector(o)
		return rcv._tab.GetInt32(a + flatbuffers.UOffsetT(j*4))
	}
	return 0
}

func (rcv *Operator) IntermediatesLength() int {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(20))
	if o != 0 {
		return rcv._tab.VectorLen(o)
	}
	return 0
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

func OperatorStartInputsVector(builder *flatbuffers.Builder, numElems int) flatbuffers.UOffsetT {
	return builder.StartVector(4, numElems, 4)
}

func OperatorAddOutputs(builder *flatbuffers.Builder, outputs flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(2, flatbuffers.UOffsetT(outputs), 0)
}

func OperatorStartOutputsVector(builder *flatbuffers.Builder, numElems int) flatbuffers.UOffsetT {
	return builder.StartVector(4, numElems, 4)
}

func OperatorAddBuiltinOptionsType(builder *flatbuffers.Builder, builtinOptionsType byte) {
	builder.PrependByteSlot(3, builtinOptionsType, 0)
}

func OperatorAddBuiltinOptions(builder *flatbuffers.Builder, builtinOptions flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(4, flatbuffers.UOffsetT(builtinOptions), 0)
}

func OperatorAddIntermediates(builder *flatbuffers.Builder, intermediates flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(8, flatbuffers.UOffsetT(intermediates), 0)
}

func OperatorStartIntermediatesVector(builder *flatbuffers.Builder, numElems int) flatbuffers.UOffsetT {
	return builder.StartVector(4, numElems, 4)
}

func OperatorEnd(builder *flatbuffers.Builder) flatbuffers.UOffsetT {
	return builder.EndObject()
}

type OperatorCode struct {
	_tab flatbuffers.Table
}

func (rcv *OperatorCode) Init(buf []byte, i flatbuffers.UOffsetT) {
	rcv._tab.Bytes = buf
	rcv._tab.Pos = i
}

func (rcv *OperatorCode) Table() flatbuffers.Table {
	return rcv._tab
}

func (rcv *OperatorCode) DeprecatedBuiltinCode() int8 {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(4))
	if o != 0 {
		return rcv._tab.GetInt8(o + rcv._tab.Pos)
	}
	return 0
}

func (rcv *OperatorCode) CustomCode() []byte {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(6))
	if o != 0 {
		return rcv._tab.ByteVector(o + rcv._tab.Pos)
	}
	return nil
}

func (rcv *OperatorCode) BuiltinCode() BuiltinOperator {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(10))
	if o != 0 {
		return BuiltinOperator(rcv._tab.GetInt32(o + rcv._tab.Pos))
	}
	return 0
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

type Quantization struct {
	_tab flatbuffers.Table
}

func (rcv *Quantization) Init(buf []byte, i flatbuffers.UOffsetT) {
	rcv._tab.Bytes = buf
	rcv._tab.Pos = i
}

func (rcv *Quantization) Table() flatbuffers.Table {
	return rcv._tab
}

func (rcv *Quantization) Scale(j int) float32 {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(8))
	if o != 0 {
		a := rcv._tab.Vector(o)
		return rcv._tab.GetFloat32(a + flatbuffers.UOffsetT(j*4))
	}
	return 0
}

func (rcv *Quantization) ScaleLength() int {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(8))
	if o != 0 {
		return rcv._tab.VectorLen(o)
	}
	return 0
}

func (rcv *Quantization) ZeroPoint(j int) int64 {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(10))
	if o != 0 {
		a := rcv._tab.Vector(o)
		return rcv._tab.GetInt64(a + flatbuffers.UOffsetT(j*8))
	}
	return 0
}

func (rcv *Quantization) ZeroPointLength() int {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(10))
	if o != 0 {
		return rcv._tab.VectorLen(o)
	}
	return 0
}

func QuantizationStart(builder *flatbuffers.Builder) {
	builder.StartObject(4)
}

func QuantizationAddScale(builder *flatbuffers.Builder, scale flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(2, flatbuffers.UOffsetT(scale), 0)
}

func QuantizationStartScaleVector(builder *flatbuffers.Builder, numElems int) flatbuffers.UOffsetT {
	return builder.StartVector(4, numElems, 4)
}

func QuantizationAddZeroPoint(builder *flatbuffers.Builder, zeroPoint flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(3, flatbuffers.UOffsetT(zeroPoint), 0)
}

func QuantizationStartZeroPointVector(builder *flatbuffers.Builder, numElems int) flatbuffers.UOffsetT {
	return builder.StartVector(8, numElems, 8)
}

func QuantizationEnd(builder *flatbuffers.Builder) flatbuffers.UOffsetT {
	return builder.EndObject()
}

type SubGraph struct {
	_tab flatbuffers.Table
}

func (rcv *SubGraph) Init(buf []byte, i flatbuffers.UOffsetT) {
	rcv._tab.Bytes = buf
	rcv._tab.Pos = i
}

func (rcv *SubGraph) Table() flatbuffers.Table {
	return rcv._tab
}

func (rcv *SubGraph) Tensors(obj *Tensor, j int) bool {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(4))
	if o != 0 {
		x := rcv._tab.Vector(o)
		x += flatbuffers.UOffsetT(j) * 4
		x = rcv._tab.Indirect(x)
		if obj == nil {
			obj = new(Tensor)
		}
		obj.Init(rcv._tab.Bytes, x)
		return true
	}
	return false
}

func (rcv *SubGraph) TensorsLength() int {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(4))
	if o != 0 {
		return rcv._tab.VectorLen(o)
	}
	return 0
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
	o := flatbuffers.UOffsetT(rcv._tab.Offset(6))
	if o != 0 {
		return rcv._tab.VectorLen(o)
	}
	return 0
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
	o := flatbuffers.UOffsetT(rcv._tab.Offset(8))
	if o != 0 {
		return rcv._tab.VectorLen(o)
	}
	return 0
}

func (rcv *SubGraph) Operators(obj *Operator, j int) bool {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(10))
	if o != 0 {
		x := rcv._tab.Vector(o)
		x += flatbuffers.UOffsetT(j) * 4
		x = rcv._tab.Indirect(x)
		if obj == nil {
			obj = new(Operator)
		}
		obj.Init(rcv._tab.Bytes, x)
		return true
	}
	return false
}

func (rcv *SubGraph) OperatorsLength() int {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(10))
	if o != 0 {
		return rcv._tab.VectorLen(o)
	}
	return 0
}

func (rcv *SubGraph) Name() []byte {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(12))
	if o != 0 {
		return rcv._tab.ByteVector(o + rcv._tab.Pos)
	}
	return nil
}

func SubGraphStart(builder *flatbuffers.Builder) {
	builder.StartObject(5)
}

func SubGraphAddTensors(builder *flatbuffers.Builder, tensors flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(0, flatbuffers.UOffsetT(tensors), 0)
}

func SubGraphStartTensorsVector(builder *flatbuffers.Builder, numElems int) flatbuffers.UOffsetT {
	return builder.StartVector(4, numElems, 4)
}

func SubGraphAddInputs(builder *flatbuffers.Builder, inputs flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(1, flatbuffers.UOffsetT(inputs), 0)
}

func SubGraphStartInputsVector(builder *flatbuffers.Builder, numElems int) flatbuffers.UOffsetT {
	return builder.StartVector(4, numElems, 4)
}

func SubGraphAddOutputs(builder *flatbuffers.Builder, outputs flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(2, flatbuffers.UOffsetT(outputs), 0)
}

func SubGraphStartOutputsVector(builder *flatbuffers.Builder, numElems int) flatbuffers.UOffsetT {
	return builder.StartVector(4, numElems, 4)
}

func SubGraphAddOperators(builder *flatbuffers.Builder, operators flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(3, flatbuffers.UOffsetT(operators), 0)
}

func SubGraphStartOperatorsVector(builder *flatbuffers.Builder, numElems int) flatbuffers.UOffsetT {
	return builder.StartVector(4, numElems, 4)
}

func SubGraphAddName(builder *flatbuffers.Builder, name flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(4, flatbuffers.UOffsetT(name), 0)
}

func SubGraphEnd(builder *flatbuffers.Builder) flatbuffers.UOffsetT {
	return builder.EndObject()
}

type Tensor struct {
	_tab flatbuffers.Table
}

func (rcv *Tensor) Init(buf []byte, i flatbuffers.UOffsetT) {
	rcv._tab.Bytes = buf
	rcv._tab.Pos = i
}

func (rcv *Tensor) Table() flatbuffers.Table {
	return rcv._tab
}

func (rcv *Tensor) Shape(j int) int32 {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(4))
	if o != 0 {
		a := rcv._tab.Vector(o)
		return rcv._tab.GetInt32(a + flatbuffers.UOffsetT(j*4))
	}
	return 0
}

func (rcv *Tensor) ShapeLength() int {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(4))
	if o != 0 {
		return rcv._tab.VectorLen(o)
	}
	return 0
}

func (rcv *Tensor) Type() TensorType {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(6))
	if o != 0 {
		return TensorType(rcv._tab.GetInt8(o + rcv._tab.Pos))
	}
	return 0
}

func (rcv *Tensor) Buffer() uint32 {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(8))
	if o != 0 {
		return rcv._tab.GetUint32(o + rcv._tab.Pos)
	}
	return 0
}

func (rcv *Tensor) Name() []byte {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(10))
	if o != 0 {
		return rcv._tab.ByteVector(o + rcv._tab.Pos)
	}
	return nil
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
	o := flatbuffers.UOffsetT(rcv._tab.Offset(14))
	if o != 0 {
		return rcv._tab.GetBool(o + rcv._tab.Pos)
	}
	return false
}

func (rcv *Tensor) ExternalBuffer() uint32 {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(24))
	if o != 0 {
		return rcv._tab.GetUint32(o + rcv._tab.Pos)
	}
	return 0
}

func TensorStart(builder *flatbuffers.Builder) {
	builder.StartObject(11)
}

func TensorAddShape(builder *flatbuffers.Builder, shape flatbuffers.UOffsetT) {
	builder.PrependUOffsetTSlot(0, flatbuffers.UOffsetT(shape), 0)
}

func TensorStartShapeVector(builder *flatbuffers.Builder, numElems int) flatbuffers.UOffsetT {
	return builder.StartVector(4, numElems, 4)
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

func TensorAddExternalBuffer(builder *flatbuffers.Builder, externalBuffer uint32) {
	builder.PrependUint32Slot(10, externalBuffer, 0)
}

func TensorEnd(builder *flatbuffers.Builder) flatbuffers.UOffsetT {
	return builder.EndObject()
}

type TensorType int8

const (
	TensorTypeFLOAT32       TensorType = 0
	TensorTypeFLOAT16       TensorType = 1
	TensorTypeINT32         TensorType = 2
	TensorTypeUINT8         TensorType = 3
	TensorTypeINT64         TensorType = 4
	TensorTypeSTRING        TensorType = 5
	TensorTypeBOOL          TensorType = 6
	TensorTypeINT16         TensorType = 7
	TensorTypeCOMPLEX64     TensorType = 8
	TensorTypeINT8          TensorType = 9
	TensorTypeFLOAT64       TensorType = 10
	TensorTypeCOMPLEX128    TensorType = 11
	TensorTypeUINT64        TensorType = 12
	TensorTypeRESOURCE      TensorType = 13
	TensorTypeVARIANT       TensorType = 14
	TensorTypeUINT32        TensorType = 15
	TensorTypeUINT16        TensorType = 16
	TensorTypeINT4          TensorType = 17
	TensorTypeBFLOAT16      TensorType = 18
	TensorTypeINT2          TensorType = 19
	TensorTypeUINT4         TensorType = 20
	TensorTypeFLOAT8_E4M3FN TensorType = 21
	TensorTypeFLOAT8_E5M2   TensorType = 22
)

var EnumNamesTensorType = sync.OnceValue(func() map[TensorType]string {
	return map[TensorType]string{
		TensorTypeFLOAT32:       "FLOAT32",
		TensorTypeFLOAT16:       "FLOAT16",
		TensorTypeINT32:         "INT32",
		TensorTypeUINT8:         "UINT8",
		TensorTypeINT64:         "INT64",
		TensorTypeSTRING:        "STRING",
		TensorTypeBOOL:          "BOOL",
		TensorTypeINT16:         "INT16",
		TensorTypeCOMPLEX64:     "COMPLEX64",
		TensorTypeINT8:          "INT8",
		TensorTypeFLOAT64:       "FLOAT64",
		TensorTypeCOMPLEX128:    "COMPLEX128",
		TensorTypeUINT64:        "UINT64",
		TensorTypeRESOURCE:      "RESOURCE",
		TensorTypeVARIANT:       "VARIANT",
		TensorTypeUINT32:        "UINT32",
		TensorTypeUINT16:        "UINT16",
		TensorTypeINT4:          "INT4",
		TensorTypeBFLOAT16:      "BFLOAT16",
		TensorTypeINT2:          "INT2",
		TensorTypeUINT4:         "UINT4",
		TensorTypeFLOAT8_E4M3FN: "FLOAT8_E4M3FN",
		TensorTypeFLOAT8_E5M2:   "FLOAT8_E5M2",
	}
})

func (v TensorType) String() string {
	if s, ok := EnumNamesTensorType()[v]; ok {
		return s
	}
	return "TensorType(" + strconv.FormatInt(int64(v), 10) + ")"
}
