#include "textflag.h"

// See kernels_arm64.s for the instructions.
#define OP3(code, m, n, d) WORD $(code | m<<16 | n<<5 | d);
#define OP2(code, n, d) WORD $(code | n<<5 | d);
#define FDIV4S 0x6e20fc00
#define FDIV2D 0x6e60fc00
#define FCVTL 0x0e217800
#define FCVTL2 0x4e217800
#define FCVTN 0x0e216800
#define FCVTN2 0x4e216800
#define SHL16 0x4f305400
#define USHR16 0x6f300400
#define SRI16 0x6f304400
#define AND16B 0x4e201c00
#define ADD4S 0x4ea08400

// Every kernel divides n > 0 bytes (a multiple of 32) of dst by the lanes of
// V9: STEP divides V0 and V1.
#define SCALE(STEP) \
	MOVD dst+0(FP), R0                \
	MOVD n+8(FP), R3                  \
loop:                                 \
	VLD1 (R0), [V0.B16, V1.B16]       \
	STEP                              \
	VST1.P [V0.B16, V1.B16], 32(R0)   \
	SUBS $32, R3, R3                  \
	BNE loop                          \
	RET

// func divF32(dst *byte, n int, by float32)
TEXT ·divF32(SB), NOSPLIT, $0-20
	FMOVS by+16(FP), F9
	VDUP V9.S[0], V9.S4
#define STEP32 OP3(FDIV4S, 9, 0, 0) OP3(FDIV4S, 9, 1, 1)
	SCALE(STEP32)

// func divF64(dst *byte, n int, by float64)
TEXT ·divF64(SB), NOSPLIT, $0-24
	FMOVD by+16(FP), F9
	VDUP V9.D[0], V9.D2
#define STEP64 OP3(FDIV2D, 9, 0, 0) OP3(FDIV2D, 9, 1, 1)
	SCALE(STEP64)

// func divF16(dst *byte, n int, by float32)
TEXT ·divF16(SB), NOSPLIT, $0-20
	FMOVS by+16(FP), F9
	VDUP V9.S[0], V9.S4
#define HALF(x) \
	OP2(FCVTL2, x, 4) OP2(FCVTL, x, 5) \
	OP3(FDIV4S, 9, 4, 4) OP3(FDIV4S, 9, 5, 5) \
	OP2(FCVTN, 5, x) OP2(FCVTN2, 4, x)
#define STEP16 HALF(0) HALF(1)
	SCALE(STEP16)

// func divBF16(dst *byte, n int, by float32)
TEXT ·divBF16(SB), NOSPLIT, $0-20
	FMOVS by+16(FP), F9
	VDUP V9.S[0], V9.S4
	MOVD $1, R4
	VDUP R4, V13.S4
	MOVD $0x7fff, R4
	VDUP R4, V14.S4
	MOVD $0xffff0000, R4
	VDUP R4, V15.S4
#define ROUND(x) \
	OP3(FDIV4S, 9, x, x) \
	OP2(USHR16, x, 6) OP3(AND16B, 13, 6, 6) OP3(ADD4S, 14, x, x) OP3(ADD4S, 6, x, x)
#define BF(x) \
	OP2(SHL16, x, 4) OP3(AND16B, 15, x, x) ROUND(x) ROUND(4) OP2(SRI16, 4, x)
#define STEPBF BF(0) BF(1)
	SCALE(STEPBF)
