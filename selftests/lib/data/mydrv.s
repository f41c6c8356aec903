	.file	"mydrv.c"
	.text
.Ltext0:
	.cfi_sections	.debug_frame
	.file 0 "/src" "mydrv.c"
	.section	.rodata.str1.1,"aMS",@progbits,1
.LC0:
	.string	"open"
	.text
	.p2align 4
	.globl	mydrv_open
	.type	mydrv_open, @function
mydrv_open:
.LVL0:
.LFB1:
	.file 1 "mydrv.c"
	.loc 1 36 1 view -0
	.cfi_startproc
	.loc 1 37 2 view .LVU1
	.loc 1 36 1 is_stmt 0 view .LVU2
	pushq	%r12
	.cfi_def_cfa_offset 16
	.cfi_offset 12, -16
	movl	%esi, %r12d
	pushq	%rbp
	.cfi_def_cfa_offset 24
	.cfi_offset 6, -24
	movq	%rdi, %rbp
.LVL1:
.LBB4:
.LBI4:
	.loc 1 23 19 is_stmt 1 view .LVU3
.LBB5:
	.loc 1 25 2 view .LVU4
	.loc 1 27 2 view .LVU5
.LBE5:
.LBE4:
	.loc 1 36 1 is_stmt 0 view .LVU6
	pushq	%rbx
	.cfi_def_cfa_offset 32
	.cfi_offset 3, -32
.LBB8:
.LBB6:
	.loc 1 27 8 view .LVU7
	movl	$501, %ebx
	jmp	.L2
.LVL2:
	.p2align 4,,10
	.p2align 3
.L4:
	.loc 1 28 3 is_stmt 1 view .LVU8
	.loc 1 28 12 is_stmt 0 view .LVU9
	movq	%rbp, %rdi
	call	mydrv_read_status@PLT
.LVL3:
	.loc 1 29 3 is_stmt 1 view .LVU10
	.loc 1 29 6 is_stmt 0 view .LVU11
	testl	%eax, %eax
	jne	.L3
.LVL4:
.L2:
	.loc 1 27 19 is_stmt 1 view .LVU12
	.loc 1 27 19 is_stmt 0 view .LVU13
	subl	$1, %ebx
	jne	.L4
.LVL5:
.L5:
	.loc 1 27 19 view .LVU14
.LBE6:
.LBE8:
	.loc 1 41 2 is_stmt 1 view .LVU15
	.loc 1 41 14 is_stmt 0 view .LVU16
	movl	mydrv_opened(%rip), %eax
	.loc 1 42 13 view .LVU17
	movl	%r12d, 4(%rbp)
	.loc 1 43 2 view .LVU18
	leaq	.LC0(%rip), %rdi
	.loc 1 41 14 view .LVU19
	leal	1(%rax), %esi
	movl	%esi, mydrv_opened(%rip)
	.loc 1 42 2 is_stmt 1 view .LVU20
	.loc 1 43 2 view .LVU21
	movslq	%esi, %rsi
	call	mydrv_log@PLT
.LVL6:
	.loc 1 44 2 view .LVU22
	.loc 1 45 1 is_stmt 0 view .LVU23
	popq	%rbx
	.cfi_remember_state
	.cfi_def_cfa_offset 24
	.loc 1 44 9 view .LVU24
	xorl	%eax, %eax
	.loc 1 45 1 view .LVU25
	popq	%rbp
	.cfi_def_cfa_offset 16
.LVL7:
	.loc 1 45 1 view .LVU26
	popq	%r12
	.cfi_def_cfa_offset 8
.LVL8:
	.loc 1 45 1 view .LVU27
	ret
.LVL9:
	.p2align 4,,10
	.p2align 3
.L3:
	.cfi_restore_state
.LBB9:
.LBB7:
	.loc 1 32 2 is_stmt 1 view .LVU28
	.loc 1 32 2 is_stmt 0 view .LVU29
.LBE7:
.LBE9:
	.loc 1 39 2 is_stmt 1 view .LVU30
	.loc 1 39 5 is_stmt 0 view .LVU31
	jns	.L5
	.loc 1 45 1 view .LVU32
	popq	%rbx
	.cfi_def_cfa_offset 24
	popq	%rbp
	.cfi_def_cfa_offset 16
.LVL10:
	.loc 1 45 1 view .LVU33
	popq	%r12
	.cfi_def_cfa_offset 8
.LVL11:
	.loc 1 45 1 view .LVU34
	ret
	.cfi_endproc
.LFE1:
	.size	mydrv_open, .-mydrv_open
	.section	.rodata.str1.1
.LC1:
	.string	"left"
.LC2:
	.string	"done"
	.text
	.p2align 4
	.globl	mydrv_copy
	.type	mydrv_copy, @function
mydrv_copy:
.LVL12:
.LFB2:
	.loc 1 48 1 is_stmt 1 view -0
	.cfi_startproc
	.loc 1 49 2 view .LVU36
	.loc 1 48 1 is_stmt 0 view .LVU37
	pushq	%r13
	.cfi_def_cfa_offset 16
	.cfi_offset 13, -16
	movq	%rdi, %r13
	pushq	%r12
	.cfi_def_cfa_offset 24
	.cfi_offset 12, -24
	movq	%rdx, %r12
	pushq	%rbp
	.cfi_def_cfa_offset 32
	.cfi_offset 6, -32
	movq	%rsi, %rbp
.LVL13:
	.loc 1 50 2 is_stmt 1 view .LVU38
.LBB12:
.LBI12:
	.loc 1 23 19 view .LVU39
.LBB13:
	.loc 1 25 2 view .LVU40
	.loc 1 27 2 view .LVU41
.LBE13:
.LBE12:
	.loc 1 48 1 is_stmt 0 view .LVU42
	pushq	%rbx
	.cfi_def_cfa_offset 40
	.cfi_offset 3, -40
.LBB17:
.LBB14:
	.loc 1 27 8 view .LVU43
	movl	$21, %ebx
.LBE14:
.LBE17:
	.loc 1 48 1 view .LVU44
	subq	$8, %rsp
	.cfi_def_cfa_offset 48
.LBB18:
.LBB15:
	.loc 1 27 8 view .LVU45
	jmp	.L11
.LVL14:
	.p2align 4,,10
	.p2align 3
.L13:
	.loc 1 28 3 is_stmt 1 view .LVU46
	.loc 1 28 12 is_stmt 0 view .LVU47
	movq	%r13, %rdi
	call	mydrv_read_status@PLT
.LVL15:
	.loc 1 29 3 is_stmt 1 view .LVU48
	.loc 1 29 6 is_stmt 0 view .LVU49
	testl	%eax, %eax
	jne	.L12
.LVL16:
.L11:
	.loc 1 27 19 is_stmt 1 view .LVU50
	.loc 1 27 19 is_stmt 0 view .LVU51
	subl	$1, %ebx
	jne	.L13
	.loc 1 32 2 is_stmt 1 view .LVU52
.LVL17:
	.loc 1 32 2 is_stmt 0 view .LVU53
.LBE15:
.LBE18:
	.loc 1 51 2 is_stmt 1 view .LVU54
	.loc 1 53 2 view .LVU55
	.loc 1 55 44 view .LVU56
	.loc 1 55 12 is_stmt 0 view .LVU57
	movq	%r12, %rbx
	leaq	.LC1(%rip), %r13
.LVL18:
	.loc 1 55 44 view .LVU58
	testq	%r12, %r12
	jle	.L17
.LVL19:
	.p2align 4,,10
	.p2align 3
.L15:
	.loc 1 56 3 is_stmt 1 discriminator 3 view .LVU59
	movq	%rbx, %rsi
	movq	%r13, %rdi
	call	mydrv_log@PLT
.LVL20:
	.loc 1 55 53 discriminator 3 view .LVU60
	.loc 1 55 44 discriminator 3 view .LVU61
	subq	$1, %rbx
.LVL21:
	.loc 1 55 44 is_stmt 0 discriminator 3 view .LVU62
	jne	.L15
.L17:
	.loc 1 57 2 view .LVU63
	movq	%r12, %rsi
	leaq	.LC2(%rip), %rdi
	.loc 1 49 44 view .LVU64
	addq	%r12, %rbp
.LVL22:
	.loc 1 57 2 is_stmt 1 view .LVU65
	call	mydrv_log@PLT
.LVL23:
	.loc 1 58 2 view .LVU66
	.loc 1 59 1 is_stmt 0 view .LVU67
	addq	$8, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 40
	movq	%rbp, %rax
	popq	%rbx
	.cfi_def_cfa_offset 32
.LVL24:
	.loc 1 59 1 view .LVU68
	popq	%rbp
	.cfi_def_cfa_offset 24
	popq	%r12
	.cfi_def_cfa_offset 16
.LVL25:
	.loc 1 59 1 view .LVU69
	popq	%r13
	.cfi_def_cfa_offset 8
	ret
.LVL26:
	.p2align 4,,10
	.p2align 3
.L12:
	.cfi_restore_state
.LBB19:
.LBB16:
	.loc 1 32 2 is_stmt 1 view .LVU70
	.loc 1 32 2 is_stmt 0 view .LVU71
.LBE16:
.LBE19:
	.loc 1 51 2 is_stmt 1 view .LVU72
	.loc 1 53 2 view .LVU73
	.loc 1 54 3 view .LVU74
	.loc 1 59 1 is_stmt 0 view .LVU75
	addq	$8, %rsp
	.cfi_def_cfa_offset 40
	.loc 1 54 10 view .LVU76
	movslq	%eax, %rbp
.LVL27:
	.loc 1 59 1 view .LVU77
	popq	%rbx
	.cfi_def_cfa_offset 32
	movq	%rbp, %rax
	.loc 1 59 1 view .LVU78
	popq	%rbp
	.cfi_def_cfa_offset 24
	popq	%r12
	.cfi_def_cfa_offset 16
.LVL28:
	.loc 1 59 1 view .LVU79
	popq	%r13
	.cfi_def_cfa_offset 8
.LVL29:
	.loc 1 59 1 view .LVU80
	ret
	.cfi_endproc
.LFE2:
	.size	mydrv_copy, .-mydrv_copy
	.local	mydrv_opened
	.comm	mydrv_opened,4,4
.Letext0:
	.section	.debug_info,"",@progbits
.Ldebug_info0:
	.long	0x32a
	.value	0x5
	.byte	0x1
	.byte	0x8
	.long	.Ldebug_abbrev0
	.uleb128 0x12
	.long	.LASF18
	.byte	0x1d
	.long	.LASF0
	.long	.LASF1
	.quad	.Ltext0
	.quad	.Letext0-.Ltext0
	.long	.Ldebug_line0
	.uleb128 0x8
	.long	.LASF3
	.byte	0x10
	.byte	0x7
	.long	0x52
	.uleb128 0x2
	.long	.LASF2
	.byte	0x8
	.byte	0x7
	.long	0x52
	.byte	0
	.uleb128 0x9
	.string	"end"
	.byte	0x9
	.byte	0x7
	.long	0x52
	.byte	0x8
	.byte	0
	.uleb128 0x3
	.byte	0x8
	.byte	0x5
	.long	.LASF8
	.uleb128 0x8
	.long	.LASF4
	.byte	0x20
	.byte	0xc
	.long	0x94
	.uleb128 0x9
	.string	"id"
	.byte	0xd
	.byte	0x6
	.long	0x94
	.byte	0
	.uleb128 0x2
	.long	.LASF5
	.byte	0xe
	.byte	0xf
	.long	0x9b
	.byte	0x4
	.uleb128 0x2
	.long	.LASF6
	.byte	0xf
	.byte	0x10
	.long	0xa2
	.byte	0x8
	.uleb128 0x2
	.long	.LASF7
	.byte	0x10
	.byte	0x15
	.long	0x2e
	.byte	0x10
	.byte	0
	.uleb128 0x13
	.byte	0x4
	.byte	0x5
	.string	"int"
	.uleb128 0x3
	.byte	0x4
	.byte	0x7
	.long	.LASF9
	.uleb128 0x3
	.byte	0x8
	.byte	0x7
	.long	.LASF10
	.uleb128 0x14
	.long	.LASF19
	.byte	0x1
	.byte	0x15
	.byte	0xc
	.long	0x94
	.uleb128 0x9
	.byte	0x3
	.quad	mydrv_opened
	.uleb128 0x15
	.long	.LASF20
	.byte	0x1
	.byte	0x13
	.byte	0x5
	.long	0x94
	.long	0xd5
	.uleb128 0x6
	.long	0xd5
	.byte	0
	.uleb128 0xa
	.long	0x59
	.uleb128 0x16
	.long	.LASF21
	.byte	0x1
	.byte	0x14
	.byte	0x6
	.long	0xf1
	.uleb128 0x6
	.long	0xf1
	.uleb128 0x6
	.long	0x52
	.byte	0
	.uleb128 0xa
	.long	0xfd
	.uleb128 0x3
	.byte	0x1
	.byte	0x6
	.long	.LASF11
	.uleb128 0x17
	.long	0xf6
	.uleb128 0xb
	.long	.LASF14
	.byte	0x2f
	.byte	0x6
	.long	0x52
	.quad	.LFB2
	.quad	.LFE2-.LFB2
	.uleb128 0x1
	.byte	0x9c
	.long	0x22d
	.uleb128 0xc
	.string	"dev"
	.byte	0x2f
	.byte	0x23
	.long	0xd5
	.long	.LLST7
	.long	.LVUS7
	.uleb128 0x7
	.long	.LASF2
	.byte	0x2f
	.byte	0x2d
	.long	0x52
	.long	.LLST8
	.long	.LVUS8
	.uleb128 0x7
	.long	.LASF12
	.byte	0x2f
	.byte	0x39
	.long	0x52
	.long	.LLST9
	.long	.LVUS9
	.uleb128 0xd
	.long	.LASF7
	.byte	0x31
	.byte	0x15
	.long	0x2e
	.long	.LLST10
	.long	.LVUS10
	.uleb128 0xe
	.string	"ret"
	.byte	0x32
	.long	0x94
	.long	.LLST11
	.long	.LVUS11
	.uleb128 0xd
	.long	.LASF13
	.byte	0x33
	.byte	0x7
	.long	0x52
	.long	.LLST12
	.long	.LVUS12
	.uleb128 0xf
	.long	0x2fb
	.quad	.LBI12
	.byte	.LVU39
	.long	.LLRL13
	.byte	0x32
	.long	0x1ed
	.uleb128 0x4
	.long	0x314
	.long	.LLST14
	.long	.LVUS14
	.uleb128 0x4
	.long	0x308
	.long	.LLST15
	.long	.LVUS15
	.uleb128 0x10
	.long	.LLRL13
	.uleb128 0x11
	.long	0x320
	.long	.LLST16
	.long	.LVUS16
	.uleb128 0x5
	.quad	.LVL15
	.long	0xbf
	.uleb128 0x1
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x2
	.byte	0x7d
	.sleb128 0
	.byte	0
	.byte	0
	.byte	0
	.uleb128 0x18
	.quad	.LVL20
	.long	0xda
	.long	0x20b
	.uleb128 0x1
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x2
	.byte	0x7d
	.sleb128 0
	.uleb128 0x1
	.uleb128 0x1
	.byte	0x54
	.uleb128 0x2
	.byte	0x73
	.sleb128 0
	.byte	0
	.uleb128 0x5
	.quad	.LVL23
	.long	0xda
	.uleb128 0x1
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x9
	.byte	0x3
	.quad	.LC2
	.uleb128 0x1
	.uleb128 0x1
	.byte	0x54
	.uleb128 0x2
	.byte	0x7c
	.sleb128 0
	.byte	0
	.byte	0
	.uleb128 0xb
	.long	.LASF15
	.byte	0x23
	.byte	0x5
	.long	0x94
	.quad	.LFB1
	.quad	.LFE1-.LFB1
	.uleb128 0x1
	.byte	0x9c
	.long	0x2fb
	.uleb128 0xc
	.string	"dev"
	.byte	0x23
	.byte	0x22
	.long	0xd5
	.long	.LLST0
	.long	.LVUS0
	.uleb128 0x7
	.long	.LASF16
	.byte	0x23
	.byte	0x2b
	.long	0x94
	.long	.LLST1
	.long	.LVUS1
	.uleb128 0xe
	.string	"ret"
	.byte	0x25
	.long	0x94
	.long	.LLST2
	.long	.LVUS2
	.uleb128 0xf
	.long	0x2fb
	.quad	.LBI4
	.byte	.LVU3
	.long	.LLRL3
	.byte	0x25
	.long	0x2df
	.uleb128 0x4
	.long	0x314
	.long	.LLST4
	.long	.LVUS4
	.uleb128 0x4
	.long	0x308
	.long	.LLST5
	.long	.LVUS5
	.uleb128 0x10
	.long	.LLRL3
	.uleb128 0x11
	.long	0x320
	.long	.LLST6
	.long	.LVUS6
	.uleb128 0x5
	.quad	.LVL3
	.long	0xbf
	.uleb128 0x1
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x2
	.byte	0x76
	.sleb128 0
	.byte	0
	.byte	0
	.byte	0
	.uleb128 0x5
	.quad	.LVL6
	.long	0xda
	.uleb128 0x1
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x9
	.byte	0x3
	.quad	.LC0
	.byte	0
	.byte	0
	.uleb128 0x19
	.long	.LASF22
	.byte	0x1
	.byte	0x17
	.byte	0x13
	.long	0x94
	.byte	0x3
	.uleb128 0x1a
	.string	"dev"
	.byte	0x1
	.byte	0x17
	.byte	0x36
	.long	0xd5
	.uleb128 0x1b
	.long	.LASF17
	.byte	0x1
	.byte	0x17
	.byte	0x3f
	.long	0x94
	.uleb128 0x1c
	.long	.LASF23
	.byte	0x1
	.byte	0x19
	.byte	0x6
	.long	0x94
	.byte	0
	.byte	0
	.section	.debug_abbrev,"",@progbits
.Ldebug_abbrev0:
	.uleb128 0x1
	.uleb128 0x49
	.byte	0
	.uleb128 0x2
	.uleb128 0x18
	.uleb128 0x7e
	.uleb128 0x18
	.byte	0
	.byte	0
	.uleb128 0x2
	.uleb128 0xd
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x38
	.uleb128 0xb
	.byte	0
	.byte	0
	.uleb128 0x3
	.uleb128 0x24
	.byte	0
	.uleb128 0xb
	.uleb128 0xb
	.uleb128 0x3e
	.uleb128 0xb
	.uleb128 0x3
	.uleb128 0xe
	.byte	0
	.byte	0
	.uleb128 0x4
	.uleb128 0x5
	.byte	0
	.uleb128 0x31
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x5
	.uleb128 0x48
	.byte	0x1
	.uleb128 0x7d
	.uleb128 0x1
	.uleb128 0x7f
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x6
	.uleb128 0x5
	.byte	0
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x7
	.uleb128 0x5
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x8
	.uleb128 0x13
	.byte	0x1
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0xb
	.uleb128 0xb
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0x21
	.sleb128 8
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x9
	.uleb128 0xd
	.byte	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x38
	.uleb128 0xb
	.byte	0
	.byte	0
	.uleb128 0xa
	.uleb128 0xf
	.byte	0
	.uleb128 0xb
	.uleb128 0x21
	.sleb128 8
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0xb
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x40
	.uleb128 0x18
	.uleb128 0x7a
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0xc
	.uleb128 0x5
	.byte	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0xd
	.uleb128 0x34
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0xe
	.uleb128 0x34
	.byte	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0x21
	.sleb128 6
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0xf
	.uleb128 0x1d
	.byte	0x1
	.uleb128 0x31
	.uleb128 0x13
	.uleb128 0x52
	.uleb128 0x1
	.uleb128 0x2138
	.uleb128 0xb
	.uleb128 0x55
	.uleb128 0x17
	.uleb128 0x58
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x59
	.uleb128 0xb
	.uleb128 0x57
	.uleb128 0x21
	.sleb128 12
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x10
	.uleb128 0xb
	.byte	0x1
	.uleb128 0x55
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x11
	.uleb128 0x34
	.byte	0
	.uleb128 0x31
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x12
	.uleb128 0x11
	.byte	0x1
	.uleb128 0x25
	.uleb128 0xe
	.uleb128 0x13
	.uleb128 0xb
	.uleb128 0x3
	.uleb128 0x1f
	.uleb128 0x1b
	.uleb128 0x1f
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x10
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x13
	.uleb128 0x24
	.byte	0
	.uleb128 0xb
	.uleb128 0xb
	.uleb128 0x3e
	.uleb128 0xb
	.uleb128 0x3
	.uleb128 0x8
	.byte	0
	.byte	0
	.uleb128 0x14
	.uleb128 0x34
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x18
	.byte	0
	.byte	0
	.uleb128 0x15
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x3c
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x16
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x3c
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x17
	.uleb128 0x26
	.byte	0
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x18
	.uleb128 0x48
	.byte	0x1
	.uleb128 0x7d
	.uleb128 0x1
	.uleb128 0x7f
	.uleb128 0x13
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x19
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x20
	.uleb128 0xb
	.byte	0
	.byte	0
	.uleb128 0x1a
	.uleb128 0x5
	.byte	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x1b
	.uleb128 0x5
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x1c
	.uleb128 0x34
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.byte	0
	.section	.debug_loclists,"",@progbits
	.long	.Ldebug_loc3-.Ldebug_loc2
.Ldebug_loc2:
	.value	0x5
	.byte	0x8
	.byte	0
	.long	0
.Ldebug_loc0:
.LVUS7:
	.uleb128 0
	.uleb128 .LVU46
	.uleb128 .LVU46
	.uleb128 .LVU58
	.uleb128 .LVU58
	.uleb128 .LVU70
	.uleb128 .LVU70
	.uleb128 .LVU80
	.uleb128 .LVU80
	.uleb128 0
.LLST7:
	.byte	0x4
	.uleb128 .LVL12-.Ltext0
	.uleb128 .LVL14-.Ltext0
	.uleb128 0x1
	.byte	0x55
	.byte	0x4
	.uleb128 .LVL14-.Ltext0
	.uleb128 .LVL18-.Ltext0
	.uleb128 0x1
	.byte	0x5d
	.byte	0x4
	.uleb128 .LVL18-.Ltext0
	.uleb128 .LVL26-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL26-.Ltext0
	.uleb128 .LVL29-.Ltext0
	.uleb128 0x1
	.byte	0x5d
	.byte	0x4
	.uleb128 .LVL29-.Ltext0
	.uleb128 .LFE2-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x9f
	.byte	0
.LVUS8:
	.uleb128 0
	.uleb128 .LVU46
	.uleb128 .LVU46
	.uleb128 .LVU65
	.uleb128 .LVU65
	.uleb128 .LVU70
	.uleb128 .LVU70
	.uleb128 .LVU77
	.uleb128 .LVU77
	.uleb128 0
.LLST8:
	.byte	0x4
	.uleb128 .LVL12-.Ltext0
	.uleb128 .LVL14-.Ltext0
	.uleb128 0x1
	.byte	0x54
	.byte	0x4
	.uleb128 .LVL14-.Ltext0
	.uleb128 .LVL22-.Ltext0
	.uleb128 0x1
	.byte	0x56
	.byte	0x4
	.uleb128 .LVL22-.Ltext0
	.uleb128 .LVL26-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x54
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL26-.Ltext0
	.uleb128 .LVL27-.Ltext0
	.uleb128 0x1
	.byte	0x56
	.byte	0x4
	.uleb128 .LVL27-.Ltext0
	.uleb128 .LFE2-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x54
	.byte	0x9f
	.byte	0
.LVUS9:
	.uleb128 0
	.uleb128 .LVU46
	.uleb128 .LVU46
	.uleb128 .LVU69
	.uleb128 .LVU69
	.uleb128 .LVU70
	.uleb128 .LVU70
	.uleb128 .LVU79
	.uleb128 .LVU79
	.uleb128 0
.LLST9:
	.byte	0x4
	.uleb128 .LVL12-.Ltext0
	.uleb128 .LVL14-.Ltext0
	.uleb128 0x1
	.byte	0x51
	.byte	0x4
	.uleb128 .LVL14-.Ltext0
	.uleb128 .LVL25-.Ltext0
	.uleb128 0x1
	.byte	0x5c
	.byte	0x4
	.uleb128 .LVL25-.Ltext0
	.uleb128 .LVL26-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x51
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL26-.Ltext0
	.uleb128 .LVL28-.Ltext0
	.uleb128 0x1
	.byte	0x5c
	.byte	0x4
	.uleb128 .LVL28-.Ltext0
	.uleb128 .LFE2-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x51
	.byte	0x9f
	.byte	0
.LVUS10:
	.uleb128 .LVU38
	.uleb128 .LVU46
	.uleb128 .LVU46
	.uleb128 .LVU65
	.uleb128 .LVU65
	.uleb128 .LVU69
	.uleb128 .LVU69
	.uleb128 .LVU70
	.uleb128 .LVU70
	.uleb128 .LVU77
	.uleb128 .LVU77
	.uleb128 .LVU79
	.uleb128 .LVU79
	.uleb128 0
.LLST10:
	.byte	0x4
	.uleb128 .LVL13-.Ltext0
	.uleb128 .LVL14-.Ltext0
	.uleb128 0xb
	.byte	0x54
	.byte	0x93
	.uleb128 0x8
	.byte	0x74
	.sleb128 0
	.byte	0x71
	.sleb128 0
	.byte	0x22
	.byte	0x9f
	.byte	0x93
	.uleb128 0x8
	.byte	0x4
	.uleb128 .LVL14-.Ltext0
	.uleb128 .LVL22-.Ltext0
	.uleb128 0xb
	.byte	0x56
	.byte	0x93
	.uleb128 0x8
	.byte	0x76
	.sleb128 0
	.byte	0x7c
	.sleb128 0
	.byte	0x22
	.byte	0x9f
	.byte	0x93
	.uleb128 0x8
	.byte	0x4
	.uleb128 .LVL22-.Ltext0
	.uleb128 .LVL25-.Ltext0
	.uleb128 0xf
	.byte	0xa3
	.uleb128 0x1
	.byte	0x54
	.byte	0x9f
	.byte	0x93
	.uleb128 0x8
	.byte	0xa3
	.uleb128 0x1
	.byte	0x54
	.byte	0x7c
	.sleb128 0
	.byte	0x22
	.byte	0x9f
	.byte	0x93
	.uleb128 0x8
	.byte	0x4
	.uleb128 .LVL25-.Ltext0
	.uleb128 .LVL26-.Ltext0
	.uleb128 0x10
	.byte	0xa3
	.uleb128 0x1
	.byte	0x54
	.byte	0x9f
	.byte	0x93
	.uleb128 0x8
	.byte	0xa3
	.uleb128 0x1
	.byte	0x54
	.byte	0xa3
	.uleb128 0x1
	.byte	0x51
	.byte	0x22
	.byte	0x9f
	.byte	0x93
	.uleb128 0x8
	.byte	0x4
	.uleb128 .LVL26-.Ltext0
	.uleb128 .LVL27-.Ltext0
	.uleb128 0xb
	.byte	0x56
	.byte	0x93
	.uleb128 0x8
	.byte	0x76
	.sleb128 0
	.byte	0x7c
	.sleb128 0
	.byte	0x22
	.byte	0x9f
	.byte	0x93
	.uleb128 0x8
	.byte	0x4
	.uleb128 .LVL27-.Ltext0
	.uleb128 .LVL28-.Ltext0
	.uleb128 0xf
	.byte	0xa3
	.uleb128 0x1
	.byte	0x54
	.byte	0x9f
	.byte	0x93
	.uleb128 0x8
	.byte	0xa3
	.uleb128 0x1
	.byte	0x54
	.byte	0x7c
	.sleb128 0
	.byte	0x22
	.byte	0x9f
	.byte	0x93
	.uleb128 0x8
	.byte	0x4
	.uleb128 .LVL28-.Ltext0
	.uleb128 .LFE2-.Ltext0
	.uleb128 0x10
	.byte	0xa3
	.uleb128 0x1
	.byte	0x54
	.byte	0x9f
	.byte	0x93
	.uleb128 0x8
	.byte	0xa3
	.uleb128 0x1
	.byte	0x54
	.byte	0xa3
	.uleb128 0x1
	.byte	0x51
	.byte	0x22
	.byte	0x9f
	.byte	0x93
	.uleb128 0x8
	.byte	0
.LVUS11:
	.uleb128 .LVU53
	.uleb128 .LVU70
	.uleb128 .LVU71
	.uleb128 0
.LLST11:
	.byte	0x4
	.uleb128 .LVL17-.Ltext0
	.uleb128 .LVL26-.Ltext0
	.uleb128 0x2
	.byte	0x30
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL26-.Ltext0
	.uleb128 .LFE2-.Ltext0
	.uleb128 0x1
	.byte	0x50
	.byte	0
.LVUS12:
	.uleb128 .LVU56
	.uleb128 .LVU59
	.uleb128 .LVU59
	.uleb128 .LVU61
	.uleb128 .LVU61
	.uleb128 .LVU62
	.uleb128 .LVU62
	.uleb128 .LVU68
.LLST12:
	.byte	0x4
	.uleb128 .LVL17-.Ltext0
	.uleb128 .LVL19-.Ltext0
	.uleb128 0x1
	.byte	0x5c
	.byte	0x4
	.uleb128 .LVL19-.Ltext0
	.uleb128 .LVL20-.Ltext0
	.uleb128 0x1
	.byte	0x53
	.byte	0x4
	.uleb128 .LVL20-.Ltext0
	.uleb128 .LVL21-.Ltext0
	.uleb128 0x3
	.byte	0x73
	.sleb128 -1
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL21-.Ltext0
	.uleb128 .LVL24-.Ltext0
	.uleb128 0x1
	.byte	0x53
	.byte	0
.LVUS14:
	.uleb128 .LVU39
	.uleb128 .LVU46
.LLST14:
	.byte	0x4
	.uleb128 .LVL13-.Ltext0
	.uleb128 .LVL14-.Ltext0
	.uleb128 0x2
	.byte	0x44
	.byte	0x9f
	.byte	0
.LVUS15:
	.uleb128 .LVU39
	.uleb128 .LVU46
	.uleb128 .LVU46
	.uleb128 .LVU53
	.uleb128 .LVU70
	.uleb128 .LVU71
.LLST15:
	.byte	0x4
	.uleb128 .LVL13-.Ltext0
	.uleb128 .LVL14-.Ltext0
	.uleb128 0x1
	.byte	0x55
	.byte	0x4
	.uleb128 .LVL14-.Ltext0
	.uleb128 .LVL17-.Ltext0
	.uleb128 0x1
	.byte	0x5d
	.byte	0x4
	.uleb128 .LVL26-.Ltext0
	.uleb128 .LVL26-.Ltext0
	.uleb128 0x1
	.byte	0x5d
	.byte	0
.LVUS16:
	.uleb128 .LVU41
	.uleb128 .LVU48
	.uleb128 .LVU48
	.uleb128 .LVU50
	.uleb128 .LVU50
	.uleb128 .LVU53
	.uleb128 .LVU70
	.uleb128 .LVU71
.LLST16:
	.byte	0x4
	.uleb128 .LVL13-.Ltext0
	.uleb128 .LVL15-.Ltext0
	.uleb128 0x2
	.byte	0x30
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL15-.Ltext0
	.uleb128 .LVL16-.Ltext0
	.uleb128 0x1
	.byte	0x50
	.byte	0x4
	.uleb128 .LVL16-.Ltext0
	.uleb128 .LVL17-.Ltext0
	.uleb128 0x2
	.byte	0x30
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL26-.Ltext0
	.uleb128 .LVL26-.Ltext0
	.uleb128 0x1
	.byte	0x50
	.byte	0
.LVUS0:
	.uleb128 0
	.uleb128 .LVU8
	.uleb128 .LVU8
	.uleb128 .LVU26
	.uleb128 .LVU26
	.uleb128 .LVU28
	.uleb128 .LVU28
	.uleb128 .LVU33
	.uleb128 .LVU33
	.uleb128 0
.LLST0:
	.byte	0x4
	.uleb128 .LVL0-.Ltext0
	.uleb128 .LVL2-.Ltext0
	.uleb128 0x1
	.byte	0x55
	.byte	0x4
	.uleb128 .LVL2-.Ltext0
	.uleb128 .LVL7-.Ltext0
	.uleb128 0x1
	.byte	0x56
	.byte	0x4
	.uleb128 .LVL7-.Ltext0
	.uleb128 .LVL9-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL9-.Ltext0
	.uleb128 .LVL10-.Ltext0
	.uleb128 0x1
	.byte	0x56
	.byte	0x4
	.uleb128 .LVL10-.Ltext0
	.uleb128 .LFE1-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x9f
	.byte	0
.LVUS1:
	.uleb128 0
	.uleb128 .LVU8
	.uleb128 .LVU8
	.uleb128 .LVU27
	.uleb128 .LVU27
	.uleb128 .LVU28
	.uleb128 .LVU28
	.uleb128 .LVU34
	.uleb128 .LVU34
	.uleb128 0
.LLST1:
	.byte	0x4
	.uleb128 .LVL0-.Ltext0
	.uleb128 .LVL2-.Ltext0
	.uleb128 0x1
	.byte	0x54
	.byte	0x4
	.uleb128 .LVL2-.Ltext0
	.uleb128 .LVL8-.Ltext0
	.uleb128 0x1
	.byte	0x5c
	.byte	0x4
	.uleb128 .LVL8-.Ltext0
	.uleb128 .LVL9-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x54
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL9-.Ltext0
	.uleb128 .LVL11-.Ltext0
	.uleb128 0x1
	.byte	0x5c
	.byte	0x4
	.uleb128 .LVL11-.Ltext0
	.uleb128 .LFE1-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x54
	.byte	0x9f
	.byte	0
.LVUS2:
	.uleb128 .LVU29
	.uleb128 0
.LLST2:
	.byte	0x4
	.uleb128 .LVL9-.Ltext0
	.uleb128 .LFE1-.Ltext0
	.uleb128 0x1
	.byte	0x50
	.byte	0
.LVUS4:
	.uleb128 .LVU3
	.uleb128 .LVU8
.LLST4:
	.byte	0x4
	.uleb128 .LVL1-.Ltext0
	.uleb128 .LVL2-.Ltext0
	.uleb128 0x4
	.byte	0xa
	.value	0x1f4
	.byte	0x9f
	.byte	0
.LVUS5:
	.uleb128 .LVU3
	.uleb128 .LVU8
	.uleb128 .LVU8
	.uleb128 .LVU14
	.uleb128 .LVU28
	.uleb128 .LVU29
.LLST5:
	.byte	0x4
	.uleb128 .LVL1-.Ltext0
	.uleb128 .LVL2-.Ltext0
	.uleb128 0x1
	.byte	0x55
	.byte	0x4
	.uleb128 .LVL2-.Ltext0
	.uleb128 .LVL5-.Ltext0
	.uleb128 0x1
	.byte	0x56
	.byte	0x4
	.uleb128 .LVL9-.Ltext0
	.uleb128 .LVL9-.Ltext0
	.uleb128 0x1
	.byte	0x56
	.byte	0
.LVUS6:
	.uleb128 .LVU5
	.uleb128 .LVU10
	.uleb128 .LVU10
	.uleb128 .LVU12
	.uleb128 .LVU12
	.uleb128 .LVU14
	.uleb128 .LVU28
	.uleb128 .LVU29
.LLST6:
	.byte	0x4
	.uleb128 .LVL1-.Ltext0
	.uleb128 .LVL3-.Ltext0
	.uleb128 0x2
	.byte	0x30
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL3-.Ltext0
	.uleb128 .LVL4-.Ltext0
	.uleb128 0x1
	.byte	0x50
	.byte	0x4
	.uleb128 .LVL4-.Ltext0
	.uleb128 .LVL5-.Ltext0
	.uleb128 0x2
	.byte	0x30
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL9-.Ltext0
	.uleb128 .LVL9-.Ltext0
	.uleb128 0x1
	.byte	0x50
	.byte	0
.Ldebug_loc3:
	.section	.debug_aranges,"",@progbits
	.long	0x2c
	.value	0x2
	.long	.Ldebug_info0
	.byte	0x8
	.byte	0
	.value	0
	.value	0
	.quad	.Ltext0
	.quad	.Letext0-.Ltext0
	.quad	0
	.quad	0
	.section	.debug_rnglists,"",@progbits
.Ldebug_ranges0:
	.long	.Ldebug_ranges3-.Ldebug_ranges2
.Ldebug_ranges2:
	.value	0x5
	.byte	0x8
	.byte	0
	.long	0
.LLRL3:
	.byte	0x4
	.uleb128 .LBB4-.Ltext0
	.uleb128 .LBE4-.Ltext0
	.byte	0x4
	.uleb128 .LBB8-.Ltext0
	.uleb128 .LBE8-.Ltext0
	.byte	0x4
	.uleb128 .LBB9-.Ltext0
	.uleb128 .LBE9-.Ltext0
	.byte	0
.LLRL13:
	.byte	0x4
	.uleb128 .LBB12-.Ltext0
	.uleb128 .LBE12-.Ltext0
	.byte	0x4
	.uleb128 .LBB17-.Ltext0
	.uleb128 .LBE17-.Ltext0
	.byte	0x4
	.uleb128 .LBB18-.Ltext0
	.uleb128 .LBE18-.Ltext0
	.byte	0x4
	.uleb128 .LBB19-.Ltext0
	.uleb128 .LBE19-.Ltext0
	.byte	0
.Ldebug_ranges3:
	.section	.debug_line,"",@progbits
.Ldebug_line0:
	.section	.debug_str,"MS",@progbits,1
.LASF20:
	.string	"mydrv_read_status"
.LASF2:
	.string	"begin"
.LASF9:
	.string	"unsigned int"
.LASF13:
	.string	"left"
.LASF16:
	.string	"flags"
.LASF6:
	.string	"bytes"
.LASF23:
	.string	"status"
.LASF10:
	.string	"long unsigned int"
.LASF14:
	.string	"mydrv_copy"
.LASF21:
	.string	"mydrv_log"
.LASF17:
	.string	"timeout"
.LASF11:
	.string	"char"
.LASF22:
	.string	"mydrv_wait_ready"
.LASF12:
	.string	"count"
.LASF8:
	.string	"long int"
.LASF3:
	.string	"mydrv_range"
.LASF7:
	.string	"range"
.LASF19:
	.string	"mydrv_opened"
.LASF15:
	.string	"mydrv_open"
.LASF18:
	.string	"GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2 -fno-asynchronous-unwind-tables -fcf-protection=none"
.LASF5:
	.string	"state"
.LASF4:
	.string	"mydrv_dev"
	.section	.debug_line_str,"MS",@progbits,1
.LASF0:
	.string	"mydrv.c"
.LASF1:
	.string	"/src"
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
