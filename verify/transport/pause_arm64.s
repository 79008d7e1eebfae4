#include "textflag.h"

// func pause()
TEXT ·pause(SB), NOSPLIT, $0-0
	YIELD
	RET

// func own(p unsafe.Pointer, lines int)
TEXT ·own(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD lines+8(FP), R1
	CMP  $0, R1
	BLE  done

loop:
	PRFM (R0), PSTL1KEEP
	ADD  $64, R0
	SUBS $1, R1
	BNE  loop

done:
	RET
